-- Leaves the queue of a count-down latch. If the latch is open, all waiters go on.
--
-- KEYS   as in latch.lua
-- ARGV   as in leave.lua
-- Reply  as leave.lua, always ABSENT: no id holds a latch
-- Rules  L14 L15 Q2
--#queue
--#look
--#leaving
--#latch
if foreign() then
  return {'ABSENT'}
end
withdraw(0, 0) -- no tombstone: an id that joins late delays no other waiter
if left ~= 0 then
  return {'ABSENT'}
end
--#granting
--#grants
local _, complaint = grant(clock())
return withGranted('ABSENT', complaint)
