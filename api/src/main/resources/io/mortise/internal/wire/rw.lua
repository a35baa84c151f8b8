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

-- Who is inside: read once, and kept up to date by whatever changes it. writing: ms left of the writer, -2 if there
-- is none. ends: when (ms) the last reader's lease ends, or nil.
local writing, ends

-- How long (ms) the readers that come in now stay.
local staying

-- Ended leases count no more.
local function forget(now)
  redis.call('ZREMRANGEBYSCORE', readers, '-inf', now)
  ends = tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2] or '')
end

-- What was found if a key is not of ours, or nil.
local function foreign()
  local kind = stranger('zset')
  if kind then
    return kind
  end
  writing = redis.call('PTTL', lock)
  if writing == -1 then
    return 'hash without expiry'
  end
  if redis.call('PTTL', readers) == -1 then
    return 'sorted set without expiry'
  end
end

-- Ended leases are forgotten: whether the lock has room for one more.
local function admits(candidate)
  return writing == -2 and (reads(candidate) or not ends)
end

-- Inside from now on, or still, and for so long at least, once it is settled. Returns that it is.
local function take(taker, now, ms)
  if reads(taker) then
    redis.call('ZADD', readers, 'GT', now + ms, taker)
    ends = math.max(ends or 0, now + ms)
    staying = math.max(staying or 0, ms)
  else
    redis.call('HSET', lock, taker, '1')
    keep(lock, ms)
    writing = math.max(writing, ms)
  end
  return true
end

-- All who come in have been taken in: the readers' key gets its expiry, last of all.
local function settle()
  if staying then
    keep(readers, staying)
  end
end
