-- Gives the lock back if the id holds it, leaves the queue if it waits, and grants the lock to the
-- next if it is free. Of an id that neither holds nor waits it changes nothing.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 id, 2 how long the id must not acquire any more (ms; 0 unless the outcome of its acquire
--        was never learnt), 3 grant window (ms), 4 mailbox prefix, 5 '1' if PUBLISH counts every subscriber
-- Reply  RELEASED or ABSENT (did the id hold the lock?) [, complaint about PUBLISH]
-- Rules  L3 L10 L14 Q2 Q3. Uncontended: two commands, no TIME.
local tombstone = tonumber(ARGV[2])

local held = redis.pcall('HDEL', lock, id)
local reply = held == 1 and 'RELEASED' or 'ABSENT'
if held == 1 and tombstone == 0 and redis.call('EXISTS', queue, alive) == 0 then
  return {reply, unwanted()}
end
if stranger('string') then
  return {reply}
end

local now = clock()
withdraw(now, tombstone)
if redis.call('EXISTS', lock) == 0 then
  local terms = {window = tonumber(ARGV[3]), mail = ARGV[4], counts = ARGV[5]}
  local _, complaint = freed(now, terms, held == 1)
  return {reply, complaint}
end
return {reply}
