-- bindings/luajit/check_threads.lua: 8 threads at once: large calls that OpenMP shares, small ones, and errors.
--
-- A Lua state must not be used by two threads at a time, and LuaJIT has no threads of its own. Each thread of this test
-- has a state: the main state makes it, and the new state makes the callback that pthread_create gets.
local ffi = require("ffi")
local my_lib = require("my_lib")

ffi.cdef [[
struct check_thread { int number, calls; char failure[200]; };
typedef struct lua_State lua_State;
lua_State *luaL_newstate(void);
void luaL_openlibs(lua_State *);
int luaL_loadstring(lua_State *, const char *);
int lua_pcall(lua_State *, int, int, int);
double lua_tonumber(lua_State *, int);
const char *lua_tolstring(lua_State *, int, size_t *);
void lua_close(lua_State *);
int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);
int pthread_join(unsigned long, void **);
]]

local THREADS, ROUNDS, SMALL_CALLS, SIZE = 8, 25, 200, 256
local threads = {}

-- All values are small integers, so that sums are exact.
local function work(thread)
  local number = thread.number
  local input, weight = my_lib.array({ SIZE, SIZE }), my_lib.array({ SIZE, SIZE })
  local bias, expected = my_lib.array(SIZE), my_lib.array({ SIZE, SIZE })
  for i = 0, SIZE * SIZE - 1 do
    local row = math.floor(i / SIZE)
    input.data[i], weight.data[i] = (row + i) % 7, (3 * row + i) % 5
  end
  for i = 0, SIZE - 1 do bias.data[i] = number end
  for row = 0, SIZE - 1 do
    for column = 0, SIZE - 1 do
      local sum = number
      for k = 0, SIZE - 1 do sum = sum + input.data[row * SIZE + k] * weight.data[column * SIZE + k] end
      expected.data[row * SIZE + column] = sum
    end
  end

  local output, sum = my_lib.array({ SIZE, SIZE }), my_lib.array({ 2, 3 })
  local small, other = my_lib.array({ 2, 3 }), my_lib.array({ 2, number + 4 })
  for i = 0, 5 do small.data[i] = number end
  local wanted = ("input2: expected shape (2, 3), got (2, %d)"):format(number + 4)
  for _ = 1, ROUNDS do
    ffi.fill(output.data, 4 * output.count, 0xff)
    my_lib.linear_forward(input, weight, bias, output)
    for i = 0, output.count - 1 do
      if output.data[i] ~= expected.data[i] then error("linear_forward: wrong values") end
    end
    for _ = 1, SMALL_CALLS do
      my_lib.add_forward(small, small, sum)
      local _, failure = pcall(my_lib.add_forward, small, other, sum)
      if tostring(failure) ~= wanted then error(("expected %s, got %s"):format(wanted, tostring(failure))) end
      for i = 0, 5 do
        if sum.data[i] ~= 2 * number then error("add_forward: wrong values") end
      end
    end
    thread.calls = thread.calls + 1 + 2 * SMALL_CALLS
  end
end

-- In the state of a thread: the address of the function that the thread runs. It catches errors, which must not pass
-- through C.
function threads.address()
  local callback = ffi.cast("void *(*)(void *)", function(argument)
    local thread = ffi.cast("struct check_thread *", argument)
    local succeeded, failure = pcall(work, thread)
    if not succeeded then ffi.copy(thread.failure, tostring(failure):sub(1, 199)) end
    return nil
  end)
  return tonumber(ffi.cast("intptr_t", callback))
end

-- In the main state.
function threads.run()
  local chunk = ("package.path = %q return require('check_threads').address()"):format(package.path)
  local states, ids, arguments = {}, ffi.new("unsigned long[?]", THREADS), ffi.new("struct check_thread[?]", THREADS)
  for i = 0, THREADS - 1 do
    local state = ffi.C.luaL_newstate()
    ffi.C.luaL_openlibs(state)
    if ffi.C.luaL_loadstring(state, chunk) ~= 0 or ffi.C.lua_pcall(state, 0, 1, 0) ~= 0 then
      error(ffi.string(ffi.C.lua_tolstring(state, -1, nil)), 0)
    end
    states[i], arguments[i].number = state, i
  end
  for i = 0, THREADS - 1 do
    local work_there = ffi.cast("void *(*)(void *)", ffi.cast("intptr_t", ffi.C.lua_tonumber(states[i], -1)))
    assert(ffi.C.pthread_create(ids + i, nil, work_there, arguments + i) == 0, "pthread_create failed")
  end
  local calls, failure = 0, nil
  for i = 0, THREADS - 1 do
    ffi.C.pthread_join(ids[i], nil)
    ffi.C.lua_close(states[i])
    calls = calls + arguments[i].calls
    if arguments[i].failure[0] ~= 0 then failure = ("thread %d: %s"):format(i, ffi.string(arguments[i].failure)) end
  end
  if failure then error(failure, 0) end
  print("threads " .. calls)
end

return threads
