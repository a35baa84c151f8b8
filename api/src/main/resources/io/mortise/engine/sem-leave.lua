-- Gives back what the id holds of a semaphore, or leaves its queue, and lets in the first waiters for which
-- there is room. Of an id that neither holds nor waits it changes nothing.
--
-- KEYS   as in sem.lua
-- ARGV   as in leave.lua
-- Reply  RELEASED or ABSENT (did the id hold permits?) [, complaint about PUBLISH]
-- Rules  L10 L14 S1 S4 Q1 Q2 Q3. Uncontended: four commands, no TIME.
local tombstone = tonumber(ARGV[2])

local held = release(id)
local reply = held and 'RELEASED' or 'ABSENT'
if held and tombstone == 0 and redis.call('EXISTS', queue, alive) == 0 then
  return {reply}
end
if foreign() then
  return {reply}
end

local now = clock()
withdraw(now, tombstone)
if not count('!total') then
  return {reply} -- whoever waits for it asks, and is told
end
forget(now)
local _, complaint = grant(now, {window = tonumber(ARGV[3]), mail = ARGV[4], counts = ARGV[5]})
return {reply, complaint}
