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
if held and not ARGV[3] and redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then
  return 1
end
--#queue
--#leaving
--#granting
--#exclusive
--#freed
local tombstone = tonumber(ARGV[3] or '0')
local reply = held and 'RELEASED' or 'ABSENT'
if held and unwanted and tombstone == 0 and redis.call('EXISTS', queue, alive) == 0 then
  return {reply, unwanted()}
end
-- The first commands of the three keys. If one is not Mortise's, nothing else changes.
local seen = redis.pcall('ZRANGE', queue, 0, 0)
local head = seen[1]
local box = head and mailbox(head) or home
local known = redis.pcall('ZMSCORE', alive, head or id, '?' .. box, id, '?' .. home)
local failed = type(gone) == 'table' and gone or seen.err and seen or known.err and known
if failed then
  failed = refused(failed, 'string')
  return failed[1] and {reply} or failed
end
waits, marked = known[3], known[4]

-- Only one id holds the lock (Q1). So a lock of which it was removed is free.
local free = held or redis.call('EXISTS', lock) == 0
local now = (free or tombstone > 0) and clock()
withdraw(now, tombstone, held)
if free then
  local live = lives(now, known[1], box ~= home and known[2])
  head = head ~= id and head or nil
  local taker, complaint = freed(now, held, head, live)
  if taker and mayGrantInReply(taker) then
    return {reply, '', taker}
  end
  if stopped then
    return {reply, complaint or '', 'more'}
  end
  return {reply, complaint}
end
return {reply}
