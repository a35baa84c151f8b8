-- The semaphore: the part that its scripts share. It goes behind queue.lua and before grants.lua. An
-- id ends in :p and the number of permits that it wants, so its weight is known wherever the id is.
--
-- KEYS  1 permits  zset  !total -> permits in all
--                        !free  -> permits that no id holds; below 0 after a resize to fewer than
--                                  are held
--                        id     -> time (ms) when its lease ends
--                        -id    -> how many of its permits the id has given back, above every
--                                  time; there only as long as the id
--                        expires a week after the last lease
--       2 queue, 3 alive  as in queue.lua
--
-- Q1: !free is !total less what all ids hold. An id holds its weight less what it has given back.
-- While !free is below 0, no id is granted permits.
local permits = lock
local week = 604800000

-- The score of -id is this and the number of permits: later than every time, and not so large that
-- a server writes it with an exponent.
local beyond = 4000000000000000

-- The state of the semaphore. foreign() reads it once, and every change keeps these variables
-- right. The scores of the two counters are below every time, and !free comes first.
-- soonest, ends: of the known leases, the id of the one that ends first, and when (ms).
local total, free, expires, soonest, ends

local function weight(of)
  return tonumber(string.match(of, ':p(%d+)$'))
end

local function setFirst(found, at)
  soonest, ends = found[at], tonumber(found[at + 1] or '')
end

-- Reads the state. Returns the reply if a key is not Mortise's, or nil.
-- reading: a function that reads queue and alive: look(), or lookAhead() of leaving.lua
-- others: how many of these two exist, or nil
local function foreign(reading, others)
  local found = redis.pcall('ZRANGE', permits, 0, 2, 'WITHSCORES')
  local failed = found.err and found or others ~= 0 and reading(others)
  if failed then
    return refused(failed, nil, 'zset')
  end
  expires = redis.call('PTTL', permits)
  if expires == -1 then
    return {'FOREIGN', 'sorted set without expiry'}
  end
  if found[1] and (found[1] ~= '!free' or found[3] ~= '!total') then
    return {'FOREIGN', 'sorted set that is no semaphore'}
  end
  free, total = tonumber(found[2] or ''), tonumber(found[4] or '')
  setFirst(found, 5)
end

-- How long (ms) the key must last, if that is longer than it would.
local lasting

-- The key will last at least so long, once the script has called settle().
local function lasts(ms)
  if expires < ms then
    expires = ms
    lasting = ms
  end
end

-- All new holders are in: the key gets its expiry, last of all.
local function settle()
  if lasting then
    redis.call('PEXPIRE', permits, lasting)
  end
end

-- How many of its permits the holder has given back.
local function returned(holder)
  local score = redis.call('ZSCORE', permits, '-' .. holder)
  return score and tonumber(score) - beyond or 0
end

-- The id holds nothing any more, and its permits are free.
local function release(holder)
  free = free + weight(holder) - returned(holder)
  redis.call('ZREM', permits, holder, '-' .. holder)
  redis.call('ZADD', permits, free, '!free')
end

-- Ends the leases whose time has passed. Returns whether there were any.
local function forget(now)
  local any = soonest and ends <= now
  while soonest and ends <= now do
    release(soonest)
    setFirst(redis.call('ZRANGE', permits, 2, 2, 'WITHSCORES'), 1)
  end
  return any
end

local function holds(of)
  return redis.call('ZSCORE', permits, of)
end

local full

-- Whether the semaphore has room for the id. To be called after forget(). An id that wants more
-- permits than there are is admitted too: it leaves the queue, and gets TOO_MANY at its next check.
local function admits(candidate)
  local wanted = weight(candidate)
  return wanted <= free or wanted > total
end

-- The taker holds its permits from now on. If fewer are free, it takes nothing and returns false.
-- After admits(), that means that the taker wants more than there are.
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
