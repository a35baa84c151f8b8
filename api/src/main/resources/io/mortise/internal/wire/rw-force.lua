-- Ends the writer's hold or those of all readers, notifies the holders, and grants the lock to the
-- first waiters if there is room.
--
-- KEYS   as in rw.lua
-- ARGV   1 ':r' for the readers, '' for the writer
--        2 terms
--        3 as in force.lua
-- Reply  as force.lua
-- Rules  L9 L10 Q2 Q6.
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
revoke(holders, now, tonumber(ARGV[3]))
grant(now)
settle()
return forced(holders)
