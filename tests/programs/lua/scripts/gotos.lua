local found = {}
for i = 2, 60 do
  for j = 2, i - 1 do if i % j == 0 then goto continue end end
  found[#found + 1] = i
  ::continue::
end
local i = 0
::again:: i = i + 1
if i < 10 then goto again end
assert(i == 10 and #found == 17)
print(table.concat(found, " "))
