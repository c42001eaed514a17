local parts = {}
for i = 1, 500 do parts[#parts + 1] = i .. ":" .. string.rep("z", i % 7) end
local all = table.concat(parts, ",")
assert(#all == 3888)
assert(("\65\066\x43\u{44}\z
        E") == "ABCDE" and [[
long]] == "long" and "a\0b" ~= "a" and #"a\0b" == 3)
assert("a" < "b" and "a" < "aa" and "Z" < "a" and "a\0b" < "a\0c" and ("x"):upper() == "X")
assert(("hello"):sub(2, -2) == "ell" and ("hello"):sub(-100, 100) == "hello" and ("hello"):sub(4, 2) == "")
local hash = 0
for i = 1, #all do hash = (hash * 31 + all:byte(i)) & 0xffffffff end
print(#all, hash)
