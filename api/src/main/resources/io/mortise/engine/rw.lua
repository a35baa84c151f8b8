-- The read/write lock, as rw-acquire, rw-leave and rw-force share it. Put behind queue.lua, in front of
-- line.lua. An id that ends in :r reads, any other writes.
--
-- KEYS  1 lock     hash  the writer's id -> 1
--       2 queue, 3 alive  as in queue.lua: one queue of readers and writers, in the order of their tickets
--       4 readers  zset  a reader's id -> time (ms) at which its lease ends; expires with the longest
--
-- Q1: whoever writes is alone, but for a reader of its own thread.
local readers = KEYS[4]

local function reads(of)
  return string.match(of, ':r$')
end

-- Ended leases count no more.
local function forget(now)
  redis.call('ZREMRANGEBYSCORE', readers, '-inf', now)
end

-- What was found if a key is not of ours, or nil.
local function foreign()
  local kind = stranger('zset')
  if kind then
    return kind
  end
  if redis.call('PTTL', lock) == -1 then
    return 'hash without expiry'
  end
  if redis.call('PTTL', readers) == -1 then
    return 'sorted set without expiry'
  end
end

-- Ended leases are forgotten: whether the lock has room for one more.
local function admits(candidate)
  if reads(candidate) then
    return redis.call('EXISTS', lock) == 0
  end
  return redis.call('EXISTS', lock, readers) == 0
end

-- Inside from now on, or still, and for so long at least. Returns that it is.
local function take(taker, now, ms)
  if reads(taker) then
    redis.call('ZADD', readers, 'GT', now + ms, taker)
    keep(readers, ms)
  else
    redis.call('HSET', lock, taker, '1')
    keep(lock, ms)
  end
  return true
end
