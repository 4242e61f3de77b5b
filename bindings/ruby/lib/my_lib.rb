# bindings/ruby/lib/my_lib.rb: libmy_lib for Ruby: require "my_lib".
require "my_lib/declarations"
require "my_lib/error"
require "my_lib/library"
require "my_lib/tensor"
require "my_lib/workspace"
require "my_lib/add"
require "my_lib/linear"
require "my_lib/lltm"
