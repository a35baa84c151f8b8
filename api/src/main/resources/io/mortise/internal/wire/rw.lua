-- The read/write lock: the part that rw-acquire, rw-leave and rw-force share. It goes behind
-- queue.lua and before grants.lua. An id that ends in :r reads, any other id writes.
--
-- KEYS  1 lock     hash  the writer's id -> 1
--       2 queue, 3 alive  as in queue.lua: one queue of readers and writers, in the order of their
--                        tickets
--       4 readers  zset  a reader's id -> time (ms) when its lease ends; expires with the
--                        longest lease
--
-- Q1: a writer is alone, except for a reader of its own thread.
local readers = KEYS[4]

local function reads(of)
  return string.match(of, ':r$')
end

-- The holders. foreign() and forget() read them once, and every change keeps these variables right.
-- writing: ms left of the writer, -2 if there is none. ends: when (ms) the last reader's lease
-- ends, or nil.
local writing, ends

-- The longest lease (ms) of the readers that this script has added or confirmed, or nil.
local staying

-- Removes readers whose lease has ended.
local function forget(now)
  redis.call('ZREMRANGEBYSCORE', readers, '-inf', now)
  ends = tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2] or '')
end

-- What was found if a key is not Mortise's, or nil.
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

-- Whether the lock has room for the id. To be called after forget().
local function admits(candidate)
  return writing == -2 and (reads(candidate) or not ends)
end

-- The taker holds from now on, or still, for at least ms once the script has called settle().
-- Returns true.
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

-- All new holders are in: the readers' key gets its expiry, last of all.
local function settle()
  if staying then
    keep(readers, staying)
  end
end
