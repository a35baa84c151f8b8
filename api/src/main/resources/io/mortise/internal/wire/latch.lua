-- The count-down latch: the part that its scripts share. It goes behind queue.lua and before
-- grants.lua.
--
-- KEYS  1 latch  zset  !count -> what is left to count; 0 is open
--                        expires a week after its last use
--       2 queue  as in queue.lua
--       3 alive  as in queue.lua; here !id is a step of the count that has been counted
local latch = lock
local week = 604800000

local function count()
  return tonumber(redis.call('ZSCORE', latch, '!count') or '')
end

-- What was found if a key is not Mortise's, or nil.
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

-- Called only when the latch is open, so every waiter may go on.
local function admits()
  return true
end

-- An id that has passed the latch holds nothing.
local function take()
end
