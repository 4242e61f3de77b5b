-- bindings/luajit/th.lua: an example: libth from LuaJIT, with an error handler that does not end the program.
--
--     luajit th.lua /path/of/libth.so.1
--
-- libth calls the handler when a function has failed and holds nothing any more; a handler may return, and then the
-- function returns 0 or nothing. So the handler here only stores the text, and the Lua function around the call raises
-- the error afterwards. The handler must not raise one itself: that would leave through frames of C.
local ffi = require("ffi")

ffi.cdef [[
typedef struct THFloatTensor THFloatTensor;
THFloatTensor *THFloatTensor_newWithSize2d(int64_t, int64_t);
THFloatTensor *THFloatTensor_newWithSize1d(int64_t);
THFloatTensor *THFloatTensor_new(void);
void THFloatTensor_free(THFloatTensor *);
void THFloatTensor_fill(THFloatTensor *, float);
void THFloatTensor_set2d(THFloatTensor *, int64_t, int64_t, float);
float THFloatTensor_get2d(const THFloatTensor *, int64_t, int64_t);
void THFloatTensor_cadd(THFloatTensor *, THFloatTensor *, float, THFloatTensor *);
typedef void (*THErrorHandlerFunction)(const char *, void *);
typedef void (*THArgErrorHandlerFunction)(int, const char *, void *);
void THSetErrorHandler(THErrorHandlerFunction, void *);
void THSetArgErrorHandler(THArgErrorHandlerFunction, void *);
]]
local C = ffi.load(arg[1] or "libth.so.1")

-- ---- Errors ----

local failure -- the text of the last error

-- Of this thread: a Lua state, and so its callbacks, belongs to one thread. They live as long as the program.
C.THSetErrorHandler(ffi.cast("THErrorHandlerFunction", function(message)
  failure = ffi.string(message)
end), nil)
C.THSetArgErrorHandler(ffi.cast("THArgErrorHandlerFunction", function(argument, message)
  failure = ("invalid argument %d: %s"):format(argument, ffi.string(message))
end), nil)

-- Calls a function of libth; its error becomes one of Lua.
local function call(f, ...)
  failure = nil
  local result = f(...)
  if failure then error(failure, 2) end
  return result
end
-- LuaJIT ends the program ("bad callback") when code that it has compiled calls a C function that calls back.
jit.off(call)

-- A tensor that is freed with the last reference to it.
local function tensor(name, ...)
  return ffi.gc(call(C["THFloatTensor_" .. name], ...), C.THFloatTensor_free)
end

-- ---- The program ----

local a, b, sum = tensor("newWithSize2d", 2, 3), tensor("newWithSize2d", 2, 3), tensor("new")
call(C.THFloatTensor_fill, a, 1)
call(C.THFloatTensor_fill, b, 2)
call(C.THFloatTensor_set2d, b, 1, 2, 20)
call(C.THFloatTensor_cadd, sum, a, 0.5, b)
assert(call(C.THFloatTensor_get2d, sum, 0, 0) == 2 and call(C.THFloatTensor_get2d, sum, 1, 2) == 11)

local inputs = {}
for i = 1, 1000 do inputs[i] = b end
inputs[900] = tensor("newWithSize1d", 4) -- this one fails, after LuaJIT would have compiled the loop
local succeeded, message = pcall(function()
  for i = 1, 1000 do call(C.THFloatTensor_cadd, sum, a, 1, inputs[i]) end
end)
assert(not succeeded and message:find("inconsistent tensor size"), message)
print((message:gsub(" at .*", "")))

succeeded, message = pcall(call, C.THFloatTensor_get2d, sum, 7, 0)
assert(not succeeded and message:find("invalid argument 2: out of range"), message)
print((message:gsub(" at .*", "")))
