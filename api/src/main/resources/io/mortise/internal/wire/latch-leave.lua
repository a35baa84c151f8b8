-- Leaves the queue in front of a count-down latch.
--
-- KEYS   as in latch.lua
-- ARGV   as in leave.lua
-- Reply  ABSENT: nobody holds a latch
-- Rules  L14 L15
--#shared
if not foreign() then
  withdraw(0, 0) -- an id that comes back later would wait for nobody, and does no harm
end
return {'ABSENT'}
