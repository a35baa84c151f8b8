-- Ends whoever's hold, tells the holder, and grants the lock to the next.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 '', 2 terms
-- Reply  FORCED, FREE (nobody held it), or FOREIGN and what was found
-- Rules  L9 L10 Q2.
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
for _, holder in ipairs(holders) do
  redis.pcall('PUBLISH', mail .. mailbox(holder), 'lost|' .. holder .. '|' .. lock)
end
local now = clock()
freed(now, #holders > 0)
return {#holders > 0 and 'FORCED' or 'FREE'}
