-- Ends all leases of a semaphore, or that of one id, notifies the holders, and grants permits to the
-- first waiters.
--
-- KEYS   as in sem.lua
-- ARGV   as in force.lua
-- Reply  as force.lua
-- Rules  L9 L10 S1 Q1 Q2 Q6.
--#queue
--#look
--#forcing
--#sem
--#granting
--#grants
local found = foreign(look)
if found then
  return found
end
if not total then
  return {'FREE'}
end

local now = clock()
forget(now)
local members = redis.call('ZRANGE', permits, 2, -1, 'WITHSCORES')
local holders = {}
for i = 1, #members, 2 do
  local wanted = ARGV[4] == '' or ARGV[4] == members[i]
  if wanted and tonumber(members[i + 1]) < beyond then
    holders[#holders + 1] = members[i]
  end
end
for _, holder in ipairs(holders) do
  release(holder)
end
revoke(holders, now, tonumber(ARGV[3]))
grant(now)
settle()
return forced(holders)
