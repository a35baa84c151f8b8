-- Ends all leases of a semaphore, tells the holders, and lets in the first waiters.
--
-- KEYS   as in sem.lua
-- ARGV   1 '', 2 terms
-- Reply  FORCED, FREE (nobody held permits), or FOREIGN and what was found
-- Rules  L9 L10 S1 Q1 Q2.
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
  redis.pcall('PUBLISH', mail .. mailbox(holder), 'lost|' .. holder .. '|' .. lock)
end
grant(now)
settle()
return {#holders > 0 and 'FORCED' or 'FREE'}
