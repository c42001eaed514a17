local function average(list)
  local sum = 0
  for i = 1, #list do sum = sum + list[i] end
  return sum / #list
end
print(average({ 1, 2, 3 }))
assert(average({ 2, 4 }) == 4, "the average of 2 and 4 is 3")
