assert(0xF0 & 0x3C == 0x30 and 0xF0 | 0x0F == 0xFF and 0xF0 ~ 0xFF == 0x0F and ~0 == -1)
assert(1 << 63 == math.mininteger and 1 << 64 == 0 and -1 >> 60 == 15 and 1 << -1 == 0)
assert(3.0 | 0 == 3 and 2 ^ 53 | 1 == 9007199254740993)
assert(not pcall(function() return 1.5 | 0 end) and not pcall(function() return "a" & 1 end))
local h = 5381
for i = 1, 1000 do h = ((h << 5) + h ~ i) & 0xFFFFFFFF end
print(string.format("%08x", h))
