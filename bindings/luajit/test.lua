-- bindings/luajit/test.lua: what the arrays and functions of my_lib.lua refuse.
local ffi = require("ffi")
local my_lib = require("my_lib")
local array = my_lib.array

local MISMATCH, NULL = "MY_LIB_ERROR_SHAPE_MISMATCH", "MY_LIB_ERROR_NULL_POINTER"
local SIZE, VALUE = "MY_LIB_ERROR_INVALID_SIZE", "MY_LIB_ERROR_INVALID_VALUE"

local function fails(name, message, call, ...)
  local succeeded, failure = pcall(call, ...)
  assert(not succeeded, message)
  assert(failure.name == name and failure.message == message and tostring(failure) == message,
         ("expected %s: %s, got %s: %s"):format(name, message, tostring(failure.name), tostring(failure)))
end

fails(SIZE, "sizes: expected integers >= 0, got -1", array, { 2, -1 })
fails(SIZE, "sizes: expected integers >= 0, got 1.5", array, 1.5)
fails(MISMATCH, "values: expected the elements of shape (2, 2), got 3 elements", array, { 2, 2 }, { 1, 2, 3 })
fails(MISMATCH, "values: expected the elements of shape (7,), got 6 elements", array, 7, ffi.new("float[6]"))
fails(VALUE, "values: expected floats, got ctype<double [6]>", array, 6, ffi.new("double[6]"))
fails(VALUE, "values: expected a table, a cdata or nil, got string", array, 1, "1")

local sizes = { 2, 3 }
local a, b = array(sizes, { 1, 2, 3, 4, 5, 6 }), array({ 3, 2 })
sizes[1] = 1000 -- the array has sizes of its own
assert(a.text == "(2, 3)" and a.sizes[1] == 2 and array({}, { 7 }).data[0] == 7)
assert(my_lib.add_forward(a, a).data[5] == 12 and my_lib.add_forward(a, a, a) == a and a.data[5] == 12)

fails(NULL, "input2: expected an array, got nil", my_lib.add_forward, a)
fails(MISMATCH, "output: expected shape (2, 3), got (3, 2)", my_lib.add_forward, a, a, b)
fails(MISMATCH, "grad_input2: expected shape (2, 3), got (3, 2)", my_lib.add_backward, a, nil, b)
fails(MISMATCH, "input: expected 2 dimensions, got shape (3,)", my_lib.linear_forward, array(3), a)
fails(MISMATCH, "weight: expected shape (3, 3), got (3, 2)", my_lib.linear_forward, a, b)
fails(MISMATCH, "bias: expected shape (2,), got (3,)", my_lib.linear_forward, a, array({ 2, 3 }), array(3))
fails(NULL, "input: expected an array, got NULL", my_lib.linear_backward,
      { grad_output = a, weight = array({ 3, 2 }), grad_weight = array({ 3, 2 }) })
local step = { input = array({ 2, 5 }), weights = array({ 9, 8 }), bias = array(9), old_h = array({ 2, 3 }) }
fails(NULL, "old_cell: expected an array, got nil", my_lib.lltm_forward, step)
step.old_cell = array({ 2, 4 })
fails(MISMATCH, "old_cell: expected shape (2, 3), got (2, 4)", my_lib.lltm_forward, step)
fails(VALUE, "num_threads: expected at least 0, got -1", my_lib.set_num_threads, -1)
