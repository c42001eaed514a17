local env = { x = 5 }
assert(load("x = x * 2 return x", "chunk", "t", env)() == 10 and env.x == 10 and x == nil)
local pieces = { "return ", "1 ", "+ 41" }
local i = 0
assert(load(function() i = i + 1 return pieces[i] end)() == 42)
local function f(a, ...) local n = select("#", ...) return a + n end
local bytes = string.dump(f)
assert(load(bytes, "f", "b")(1, 2, 3) == 3 and not load(bytes, "f", "t"))
local stripped = string.dump(f, true)
assert(#stripped < #bytes and load(stripped)(5) == 5)
assert(not load(bytes:sub(1, 20)))
print(load("return return"))
