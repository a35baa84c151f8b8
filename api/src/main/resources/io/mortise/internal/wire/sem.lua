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

-- What is there: read once by foreign(), and kept up to date by whatever changes it. The two counters come
-- before any time, and !free first. soonest and ends: of those known, the lease that ends first, and when (ms).
local total, free, expires, soonest, ends

-- Whether the id must not acquire any more.
local buried

local function weight(of)
  return tonumber(string.match(of, ':p(%d+)$'))
end

local function setFirst(found, at)
  soonest, ends = found[at], tonumber(found[at + 1] or '')
end

-- Reads what is there. Returns what was found if a key is not of ours, or nil.
local function foreign()
  local found = redis.pcall('ZRANGE', permits, 0, 2, 'WITHSCORES')
  local place = redis.pcall('ZSCORE', queue, id)
  buried = redis.pcall('ZSCORE', alive, '!' .. id)
  if found.err or type(place) == 'table' or type(buried) == 'table' then
    local kind = stranger(nil, 'zset')
    if not kind then
      redis.call('ZRANGE', permits, 0, 0) -- the server says what else is wrong
      redis.call('ZSCORE', queue, id)
    end
    return kind
  end
  expires = redis.call('PTTL', permits)
  if expires == -1 then
    return 'sorted set without expiry'
  end
  if found[1] and (found[1] ~= '!free' or found[3] ~= '!total') then
    return 'sorted set that is no semaphore'
  end
  free, total = tonumber(found[2] or ''), tonumber(found[4] or '')
  setFirst(found, 5)
end

-- How long (ms) the key must last, if that is longer than it does.
local lasting

-- The key lasts so long at least, once it is settled.
local function lasts(ms)
  if expires < ms then
    expires = ms
    lasting = ms
  end
end

-- All who come in have been taken in: the key gets its expiry, last of all.
local function settle()
  if lasting then
    redis.call('PEXPIRE', permits, lasting)
  end
end

-- The id, which is inside, holds nothing any more.
local function release(holder)
  redis.call('ZREM', permits, holder)
  free = free + weight(holder)
  redis.call('ZADD', permits, free, '!free')
end

-- Ended leases count no more.
local function forget(now)
  while soonest and ends <= now do
    release(soonest)
    setFirst(redis.call('ZRANGE', permits, 2, 2, 'WITHSCORES'), 1)
  end
end

-- Ended leases are forgotten: whether there is room for the id. One that wants more than there are leaves the
-- line, and is told so when it asks.
local function admits(candidate)
  local wanted = weight(candidate)
  return wanted <= free or wanted > total
end

-- Inside from now on, if it is not one that wants more than there are. Returns whether it is.
local function take(taker, now, ms)
  local left = free - weight(taker)
  if left < 0 then
    return false
  end
  free = left
  redis.call('ZADD', permits, free, '!free', now + ms, taker)
  lasts(ms + week)
  if not ends or now + ms < ends then
    soonest, ends = taker, now + ms
  end
  return true
end
