-- The count-down latch: the part that its scripts share. It goes behind queue.lua and before
-- grants.lua.
--
-- KEYS  1 latch  zset  !count -> what is left to count; 0 is open
--                        expires a week after its last use
--       2 queue  as in queue.lua
--       3 alive  as in queue.lua; here !id is a step of the count that has been counted
local latch = lock
local week = 604800000

-- What is left to count, or nil if the latch was never set.
local left

-- Reads the state. Returns the reply if a key is not Mortise's, or nil.
local function foreign()
  local count = redis.pcall('ZSCORE', latch, '!count')
  local failed = type(count) == 'table' and count or look()
  if failed then
    return refused(failed, nil, 'zset')
  end
  local expires = redis.call('PTTL', latch)
  if expires == -1 then
    return {'FOREIGN', 'sorted set without expiry'}
  end
  left = tonumber(count or '')
  if expires ~= -2 and not left then
    return {'FOREIGN', 'sorted set that is no latch'}
  end
end

-- Called only when the latch is open, so every waiter may go on.
local function admits()
  return true
end

-- An id that has passed the latch holds nothing.
local function take()
end

local holds, full
