local function ackermann(m, n)
  if m == 0 then return n + 1 end
  if n == 0 then return ackermann(m - 1, 1) end
  return ackermann(m - 1, ackermann(m, n - 1))
end
assert(ackermann(2, 9) == 21)
local function tail(n, sum) if n == 0 then return sum end return tail(n - 1, sum + n) end
assert(tail(100000, 0) == 5000050000)
local function endless(n) return 1 + endless(n + 1) end
local ok, message = pcall(endless, 1)
assert(not ok and message:find("stack overflow"))
assert(("x"):rep(-1) == "" and select(2, pcall(string.rep, "x", 1 << 62)):find("too large"))
print(ackermann(2, 3))
