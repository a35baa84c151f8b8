-- The semaphore, as its scripts share it. Put behind queue.lua, in front of line.lua. An id ends in :p and the number of permits it is for, so that whoever sees it in
-- the queue or among the holders knows its weight.
--
-- KEYS  1 permits  zset  !total -> permits there are
--                        !free  -> permits that nobody holds; below 0 after there were made fewer
--                        id     -> time (ms) at which its lease ends
--                        expires a week after the last lease
--       2 queue, 3 alive  as in queue.lua
--
-- Q1: !free is !total less the weight of all ids, and below 0 only while nobody comes in.
local permits = lock
local week = 604800000

local function weight(of)
  return tonumber(string.match(of, ':p(%d+)$'))
end

local function count(what)
  return tonumber(redis.call('ZSCORE', permits, what) or '')
end

-- The lease that ends first, and when (ms). The two counters come before any time.
local function first()
  local found = redis.call('ZRANGE', permits, 2, 2, 'WITHSCORES')
  return found[1], tonumber(found[2] or '')
end

-- The id holds nothing any more. Returns whether it did.
local function release(holder)
  local held = redis.pcall('ZREM', permits, holder) == 1
  if held then
    redis.call('ZADD', permits, count('!free') + weight(holder), '!free')
  end
  return held
end

-- Ended leases count no more.
local function forget(now)
  local holder, ends = first()
  while holder and ends <= now do
    release(holder)
    holder, ends = first()
  end
end

-- What was found if a key is not of ours, or nil.
local function foreign()
  local kind = stranger(nil, 'zset')
  if kind then
    return kind
  end
  if redis.call('PTTL', permits) == -1 then
    return 'sorted set without expiry'
  end
  if redis.call('EXISTS', permits) == 1 and not count('!total') then
    return 'sorted set that is no semaphore'
  end
end

-- Ended leases are forgotten: whether there is room for the id. One that wants more than there are leaves the
-- line, and is told so when it asks.
local function admits(candidate)
  local wanted = weight(candidate)
  return wanted <= count('!free') or wanted > count('!total')
end

-- Inside for so long at least.
local function raise(holder, now, ms)
  redis.call('ZADD', permits, 'GT', now + ms, holder)
  keep(permits, ms + week)
end

-- Inside from now on, if it is not one that wants more than there are.
local function take(taker, now, ms)
  local free = count('!free') - weight(taker)
  if free >= 0 then
    redis.call('ZADD', permits, free, '!free')
    raise(taker, now, ms)
  end
end
