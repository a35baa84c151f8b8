-- Gives the lock back if the id holds it, leaves the queue if it waits, and grants the lock to the
-- next if it is free. Of an id that neither holds nor waits it changes nothing.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 id, 2 terms, 3 how long the id must not acquire any more (ms; 0 or left out unless the outcome of
--        its acquire was never learnt)
-- Reply  RELEASED or ABSENT (did the id hold the lock?) [, complaint about PUBLISH]; 1 is RELEASED too
-- Rules  L3 L10 L14 Q2 Q3. Uncontended: two commands, no TIME.
local held = redis.pcall('HDEL', KEYS[1], ARGV[1]) == 1
if held and not ARGV[3] and redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then
  return 1
end
--#shared
local tombstone = tonumber(ARGV[3] or '0')
local reply = held and 'RELEASED' or 'ABSENT'
if held and unwanted and tombstone == 0 and redis.call('EXISTS', queue, alive) == 0 then
  return {reply, unwanted()}
end
if stranger('string') then
  return {reply}
end

local now = clock()
withdraw(now, tombstone)
if redis.call('EXISTS', lock) == 0 then
  local _, complaint = freed(now, held)
  return {reply, complaint}
end
return {reply}
