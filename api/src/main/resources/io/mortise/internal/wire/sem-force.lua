-- Ends all leases of a semaphore, notifies the holders, and grants permits to the first waiters.
--
-- KEYS   as in sem.lua
-- ARGV   as in force.lua
-- Reply  as force.lua
-- Rules  L9 L10 S1 Q1 Q2 Q6.
--#shared
local found = foreign()
if found then
  return {'FOREIGN', found}
end
if not total then
  return {'FREE'}
end

local now = clock()
forget(now)
local holders = redis.call('ZRANGE', permits, 2, -1)
for _, holder in ipairs(holders) do
  release(holder)
end
revoke(holders, now, tonumber(ARGV[3]))
grant(now)
settle()
return forced(holders)
