-- How an id leaves the queue. This part goes behind queue.lua.

-- Reads the first in the queue, and what the store says of it and of the id. Returns the server's
-- error if one of the two keys is not Mortise's.
-- others: how many of the two keys exist, or nil. One key that is not empty leaves none to read.
local function lookAhead(others)
  local found = redis.pcall('ZRANGE', queue, 0, 0, 'WITHSCORES')
  if found.err then
    return found
  end
  front = found
  local head = front[1]
  local box = head and mailbox(head) or home
  local known = {false, false}
  if not head or others ~= 1 then
    known = redis.pcall('ZMSCORE', alive, head or id, '?' .. box, id, '?' .. home)
    repeated, marked = known[3], known[4]
  end
  front[3], front[4] = known[1], box ~= home and known[2]
  return known.err and known
end

-- Writes a tombstone of the id that lasts so long (ms).
local function bury(now, tombstone)
  redis.call('ZADD', alive, now + tombstone, '!' .. id)
  redis.call('ZREMRANGEBYSCORE', alive, '-inf', now - tombstone)
  keep(alive, tombstone)
end

-- The id leaves the queue. With a tombstone (ms, 0 for none) it must not acquire any more. To be
-- called after lookAhead() or look().
-- held: the id held until now. Then it is in the queue only if it had not confirmed its grant.
local function withdraw(now, tombstone, held)
  if tombstone > 0 then
    bury(now, tombstone)
  end
  if not held or not front or front[1] and tonumber(front[2]) < 0 then
    redis.call('ZREM', queue, id)
  end
  if front and front[1] == id then
    front = nil
  end
  if repeated or marked then
    redis.call('ZREM', alive, id, '?' .. home)
  end
end
