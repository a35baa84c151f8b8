-- Releases the lock if the id holds it, leaves the queue if the id waits, and grants the lock to
-- the next waiter if it is free. For an id that neither holds nor waits it changes nothing.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 id
--        2 terms; if the word is a lease, the reply may grant to waiters (see queue.lua)
--        3 how long the id must not acquire any more (ms); 0 or left out, unless its acquire got no
--          answer
-- Reply  RELEASED or ABSENT (did the id hold it?) [, complaint about PUBLISH [, ids granted to
--        [, more: look again at once (see queue.lua)]]]
--        1 means RELEASED too
-- Rules  L3 L10 L14 Q2 Q3 Q5. Uncontended: two commands, no TIME.
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
  local head, complaint = freed(now, held)
  if head and mayGrantInReply(head) then
    return {reply, '', head}
  end
  if stopped then
    return {reply, complaint or '', 'more'}
  end
  return {reply, complaint}
end
return {reply}
