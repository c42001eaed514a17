local function solve(n)
  local columns, up, down, count = {}, {}, {}, 0
  local function place(row)
    if row > n then count = count + 1 return end
    for c = 1, n do
      if not (columns[c] or up[row + c] or down[row - c]) then
        columns[c], up[row + c], down[row - c] = true, true, true
        place(row + 1)
        columns[c], up[row + c], down[row - c] = nil, nil, nil
      end
    end
  end
  place(1)
  return count
end
assert(solve(4) == 2 and solve(5) == 10 and solve(6) == 4)
print(solve(7))
