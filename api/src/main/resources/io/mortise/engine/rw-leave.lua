-- Gives back what the id holds of a read/write lock, or leaves its queue, and lets in the first waiters
-- if there is room. Of an id that neither holds nor waits it changes nothing.
--
-- KEYS   as in rw.lua
-- ARGV   as in leave.lua
-- Reply  RELEASED or ABSENT (did the id hold the lock?) [, complaint about PUBLISH]
-- Rules  L3 L10 L14 Q2 Q3. Uncontended: two commands, no TIME.
local tombstone = tonumber(ARGV[2])

local held
if reads(id) then
  held = redis.pcall('ZREM', readers, id)
else
  held = redis.pcall('HDEL', lock, id)
end
local reply = held == 1 and 'RELEASED' or 'ABSENT'
if held == 1 and tombstone == 0 and redis.call('EXISTS', queue, alive) == 0 then
  return {reply}
end
if foreign() then
  return {reply}
end

local now = clock()
forget(now)
withdraw(now, tombstone)
local _, complaint = grant(now, {window = tonumber(ARGV[3]), mail = ARGV[4], counts = ARGV[5]})
return {reply, complaint}
