-- Leaves the queue of a count-down latch.
--
-- KEYS   as in latch.lua
-- ARGV   as in leave.lua
-- Reply  ABSENT: no id holds a latch
-- Rules  L14 L15
--#queue
--#look
--#leaving
--#latch
if not foreign() then
  withdraw(0, 0) -- no tombstone: an id that joins late delays no other waiter
end
return {'ABSENT'}
