-- bindings/luajit/my_lib-1.0.0-1.rockspec: the package, for `luarocks make`.
package = "my_lib"
version = "1.0.0-1"
source = { url = "." }
description = { summary = "Neural-network operators of libmy_lib, for LuaJIT", license = "MIT" }
dependencies = { "lua == 5.1" }
build = { type = "builtin", modules = { my_lib = "my_lib.lua", my_lib_c = "my_lib_c.lua" } }
