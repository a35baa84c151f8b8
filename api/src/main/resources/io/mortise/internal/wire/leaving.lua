-- How an id leaves the queue. This part goes behind queue.lua.

-- Writes a tombstone of the id that lasts so long (ms).
local function bury(now, tombstone)
  redis.call('ZADD', alive, now + tombstone, '!' .. id)
  redis.call('ZREMRANGEBYSCORE', alive, '-inf', now - tombstone)
  keep(alive, tombstone)
end

-- The id leaves the queue. With a tombstone (ms, 0 for none) it must not acquire any more. To be
-- called after look(), or with what it reads.
-- held: the id held until now, so it had left the queue. But a late try may have acquired for an id
-- that waits. Then alive has the id.
local function withdraw(now, tombstone, held)
  if tombstone > 0 then
    bury(now, tombstone)
  end
  if not held or waits then
    redis.call('ZREM', queue, id)
  end
  if waits or marked then
    redis.call('ZREM', alive, id, '?' .. home)
  end
end
