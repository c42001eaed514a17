assert(math.tointeger(3.0) == 3 and math.tointeger(3.5) == nil and math.tointeger("8") == 8)
assert(tostring(math.mininteger) == "-9223372036854775808" and 0x7fffffffffffffff == math.maxinteger)
assert(math.ult(1, -1) and not math.ult(-1, 1))
assert(tonumber("0x1p4") == 16.0 and tonumber("1e") == nil and tonumber("zz", 36) == 1295 and tonumber("8", 8) == nil)
for i = math.maxinteger - 2, math.maxinteger do assert(i > 0) end
local n = 0
for _ = 1, 0 do n = n + 1 end
for _ = 3, 1, -1 do n = n + 1 end
for x = 0.0, 1.0, 0.25 do n = n + x end
print(n, math.maxinteger // 3, math.mininteger % 7, 9007199254740993)
