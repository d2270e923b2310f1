-- Never the same request twice: another filter, another offset, all parameters in turn.
-- Arguments: a file of filters, a seed. Each line of the file is `last offset <tab> query`, or `*`
-- for a query in which the days are to be drawn here (there are too many to list). In a query with `@`
-- the number drawn stands there: it is a cursor's.
local base, filters, seen = nil, {}, {}

function init(args)
  base = wrk.path
  for line in io.lines(args[1]) do
    local last, query = line:match("^(%S+)\t(.*)$")
    filters[#filters + 1] = { last = tonumber(last), query = query }
  end
  math.randomseed(tonumber(args[2]))
  for _ = 1, 10 do math.random() end
end

local function drawn()
  local filter = filters[math.random(#filters)]
  if filter.query:find("@", 1, true) then
    return (filter.query:gsub("@", math.random(filter.last)))
  end
  if filter.last then
    return filter.query .. "offset=" .. math.random(0, filter.last)
  end
  return string.format("%sdepuis=2015-%02d-%02d&jusqua=2024-%02d-%02d", filter.query,
    math.random(12), math.random(28), math.random(12), math.random(28))
end

function request()
  local query
  for _ = 1, 10000 do
    query = drawn()
    if not seen[query] then break end
  end
  if seen[query] then error("the filters have too few different pages for so long a run: fewer --seconds") end
  seen[query] = true
  return wrk.format("GET", base .. "?" .. query)
end
