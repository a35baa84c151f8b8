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
-- writer: its id, or nil. writing: ms left of the writer, -2 if there is none. ends: when (ms)
-- the last reader's lease ends, or nil. lasting: ms left of the readers' key, -2 if there is none.
local writer, writing, ends, lasting

-- The longest lease (ms) of the readers that this script has added or confirmed, or nil.
local staying

-- Removes readers whose lease has ended. Returns whether they were the last ones.
-- removed: the script itself has removed one, so the state is read again
local function forget(now, removed)
  if ends and (redis.call('ZREMRANGEBYSCORE', readers, '-inf', now) > 0 or removed) then
    ends = tonumber(redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2] or '')
    lasting = ends and lasting or -2
    return not ends
  end
end

-- Reads the state. Returns the reply if a key is not Mortise's, or nil.
-- reading: a function that reads queue and alive: look(), or lookAhead() of leaving.lua
-- held: the reply to HKEYS of the lock
-- others: how many of queue and alive exist, and of the readers too if they are counted. Left out,
-- all keys are read.
local function foreign(reading, held, others, counted)
  local inside = {}
  if not counted or others > 0 then
    inside = redis.pcall('ZRANGE', readers, -1, -1, 'WITHSCORES')
  end
  if counted and inside[1] then
    others = others - 1
  end
  local failed = held.err and held or inside.err and inside or others ~= 0 and reading(others)
  if failed then
    return refused(failed, 'zset')
  end
  writer = held[1]
  writing = writer and redis.call('PTTL', lock) or -2
  if writing == -1 then
    return {'FOREIGN', 'hash without expiry'}
  end
  ends = tonumber(inside[2] or '')
  lasting = ends and redis.call('PTTL', readers) or -2
  if lasting == -1 then
    return {'FOREIGN', 'sorted set without expiry'}
  end
end

local function holds(of)
  if reads(of) then
    return ends and redis.call('ZSCORE', readers, of)
  end
  return writer == of
end

-- Whether the lock has room for the id. To be called after forget().
local function admits(candidate)
  return writing == -2 and (reads(candidate) or not ends)
end

local function full()
  return writing ~= -2
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
    if writing < ms then
      redis.call('PEXPIRE', lock, ms)
      writing = ms
    end
    writer = taker
  end
  return true
end

-- All new holders are in: the readers' key gets its expiry, last of all.
local function settle()
  if staying and lasting < staying then
    redis.call('PEXPIRE', readers, staying)
  end
end
