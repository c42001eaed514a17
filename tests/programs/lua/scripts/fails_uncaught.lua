local function level(n) if n == 0 then return nil + 1 end return (level(n - 1)) end
print(level(5))
