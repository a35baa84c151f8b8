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
--#queue
--#look
--#forcing
--#granting
--#exclusive
--#freed
-- The first commands of the keys.
local found = redis.pcall('HGETALL', lock)
local failed = found.err and found or look()
if failed then
  return refused(failed, 'string')
end
local holders, named = {}, ARGV[4] == ''
for i = 1, #found, 2 do
  holders[#holders + 1] = found[i]
  named = named or ARGV[4] == found[i]
end
if holders[1] and redis.call('PTTL', lock) == -1 then
  return {'FOREIGN', 'hash without expiry'}
end
if not named then
  return forced({})
end

local now = clock()
if holders[1] then
  redis.call('DEL', lock)
  revoke(holders, now, tonumber(ARGV[3]))
end
freed(now, holders[1])
return forced(holders)
