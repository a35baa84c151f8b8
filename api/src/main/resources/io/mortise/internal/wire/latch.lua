-- The count-down latch, as its scripts share it. Put behind queue.lua, in front of line.lua.
--
-- KEYS  1 latch  zset  !count -> what is left to count; open at 0; expires a week after it was last used
--       2 queue, 3 alive  as in queue.lua; !id of a step of the count: it has been counted
local latch = lock
local week = 604800000

local function count()
  return tonumber(redis.call('ZSCORE', latch, '!count') or '')
end

-- What was found if a key is not of ours, or nil.
local function foreign()
  local kind = stranger(nil, 'zset')
  if kind then
    return kind
  end
  if redis.call('PTTL', latch) == -1 then
    return 'sorted set without expiry'
  end
  if redis.call('EXISTS', latch) == 1 and not count() then
    return 'sorted set that is no latch'
  end
end

-- Nobody is asked about before it is open.
local function admits()
  return true
end

-- Whoever has passed a latch has nothing of it.
local function take()
end
