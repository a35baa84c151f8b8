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
local gone = redis.pcall('HDEL', KEYS[1], ARGV[1])
local held = gone == 1
local others = held and redis.call('EXISTS', KEYS[2], KEYS[3]) or nil
if others == 0 and not ARGV[3] then
  return 1
end
--#queue
--#leaving
--#granting
--#exclusive
--#freed
local tombstone = tonumber(ARGV[3] or '0')
local reply = held and 'RELEASED' or 'ABSENT'
if others == 0 and unwanted and tombstone == 0 then
  return {reply, unwanted()}
end
-- The first commands of the three keys. If one is not Mortise's, nothing else changes.
local failed = lookAhead(others)
if type(gone) == 'table' then
  failed = gone
end
if failed then
  failed = refused(failed, 'string')
  return failed[1] and {reply} or failed
end

-- Only one id holds the lock (Q1). So a lock of which it was removed is free.
local free = held or redis.call('EXISTS', lock) == 0
local now = (free or tombstone > 0) and clock()
withdraw(now, tombstone, held)
if free then
  local taker, complaint = freed(now, held)
  if taker and mayGrantInReply(taker) then
    return {reply, '', taker}
  end
  if stopped then
    return {reply, complaint or '', 'more'}
  end
  return {reply, complaint}
end
return {reply}
