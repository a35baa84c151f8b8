-- What a script reads before it writes. This part goes behind queue.lua.

-- Reads what the store says of the id (see queue.lua). Returns the server's error if one of the two
-- keys is not Mortise's. Then this is the first command that fails, and nothing was written.
-- others: how many of the two keys exist, or nil. One key that is not empty leaves none to read.
local function look(others)
  last = redis.pcall('ZRANGE', queue, -1, -1, 'WITHSCORES')
  if last.err then
    return last
  end
  queued = last[1]
  if queued and tonumber(last[2]) < 0 then -- then no id waits
    last = {}
  end
  if queued and others == 1 then
    return nil
  end
  local known = redis.pcall('ZMSCORE', alive, '!' .. id, '?' .. home, id)
  buried, marked, repeated = known[1], known[2], known[3]
  return known.err and known
end

-- The id holds, so its mailbox is not silent: removes what queue and alive say of it. To be called
-- after look().
local function confirm()
  if queued then
    redis.call('ZREM', queue, id)
  end
  if repeated or marked then
    redis.call('ZREM', alive, id, '?' .. home)
  end
end
