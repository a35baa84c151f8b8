-- What a script reads before it writes. This part goes behind queue.lua.

-- Reads what the store says of the id (see queue.lua). Returns the server's error if one of the two
-- keys is not Mortise's. Then this is the first command that fails, and nothing was written.
local function look()
  local known = redis.pcall('ZMSCORE', alive, '!' .. id, '?' .. home, id)
  last = redis.pcall('ZRANGE', queue, -1, -1, 'WITHSCORES')
  buried, marked, waits = known[1], known[2], known[3]
  return (known.err and known) or (last.err and last)
end
