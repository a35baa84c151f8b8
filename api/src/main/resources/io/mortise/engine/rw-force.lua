-- Ends the writer's hold, or those of all readers, tells the holders, and lets in the first waiters if
-- there is room.
--
-- KEYS   as in rw.lua
-- ARGV   1 ':r' for the readers, '' for the writer, 2 terms
-- Reply  FORCED, FREE (nobody held it), or FOREIGN and what was found
-- Rules  L9 L10 Q2.
--#shared
local found = foreign()
if found then
  return {'FOREIGN', found}
end

local now = clock()
forget(now)
local holders
if reads(id) then
  holders = redis.call('ZRANGE', readers, 0, -1)
  redis.call('DEL', readers)
  ends = nil
else
  holders = redis.call('HKEYS', lock)
  redis.call('DEL', lock)
  writing = -2
end
for _, holder in ipairs(holders) do
  redis.pcall('PUBLISH', mail .. mailbox(holder), 'lost|' .. holder .. '|' .. lock)
end
grant(now)
settle()
return {#holders > 0 and 'FORCED' or 'FREE'}
