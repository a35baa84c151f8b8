-- Ends the hold of any holder, or of one id, notifies the holder, and grants the lock to the next
-- waiter.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 ''
--        2 terms
--        3 how long the ids that held the lock must not acquire any more (ms)
--        4 the only id whose hold it may end, or '' for any
-- Reply  FORCED, the ids that held it [, more, as in leave.lua]
--        FREE: no id held it, or another one
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

if ARGV[4] ~= '' and redis.call('HEXISTS', lock, ARGV[4]) == 0 then
  return forced({})
end

local holders = redis.call('HKEYS', lock)
redis.call('DEL', lock)
local now = clock()
revoke(holders, now, tonumber(ARGV[3]))
freed(now, #holders > 0)
return forced(holders)
