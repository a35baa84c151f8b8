-- Ends the hold of any holder, notifies the holder, and grants the lock to the next waiter.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 ''
--        2 terms
--        3 how long the ids that held the lock must not acquire any more (ms)
-- Reply  FORCED, the ids that held it
--        FREE: no id held it
--        FOREIGN, what was found
-- Rules  L9 L10 Q2 Q6.
--#shared
local kind = stranger('string')
if kind then
  return {'FOREIGN', kind}
end
if redis.call('PTTL', lock) == -1 then
  return {'FOREIGN', 'hash without expiry'}
end

local holders = redis.call('HKEYS', lock)
redis.call('DEL', lock)
local now = clock()
revoke(holders, now, tonumber(ARGV[3]))
freed(now, #holders > 0)
return forced(holders)
