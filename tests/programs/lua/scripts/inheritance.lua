local Shape = {}
Shape.__index = Shape
function Shape.new(class, name) return setmetatable({ name = name }, class) end
function Shape:area() return 0 end
function Shape:describe() return self.name .. " " .. self:area() end
local Square = setmetatable({}, { __index = Shape })
Square.__index = Square
function Square.new(side) local s = Shape.new(Square, "square") s.side = side return s end
function Square:area() return self.side ^ 2 end
local all = { Shape:new("nothing"), Square.new(2), Square.new(3) }
table.sort(all, function(a, b) return a:area() > b:area() end)
assert(rawget(all[1], "area") == nil and getmetatable(all[1]) == Square)
for _, shape in ipairs(all) do print(shape:describe()) end
