-- Gives back a part of the permits that an id holds, and grants permits to the first waiters for
-- which there is room. The id keeps the rest, and its lease stays as it is.
--
-- KEYS   as in sem.lua
-- ARGV   1 id
--        2 terms; if the word is a lease, the reply may grant to waiters (see queue.lua)
--        3 how many permits the id has given back so far, with these; fewer than it took
-- Reply  as leave.lua; RELEASED also if this is a repetition, or came after a larger number
-- Rules  L10 S1 S2 S4 Q1 Q2 Q5. The number is a sum, so to repeat it or to be late does no harm.
--#queue
--#look
--#sem
--#granting
--#grants
if foreign(look) or not total then
  return {'ABSENT'}
end
local now = clock()
forget(now)
local held = redis.call('ZSCORE', permits, id)
local more = held and tonumber(ARGV[3]) - returned(id) or 0
if more > 0 then
  free = free + more
  redis.call('ZREM', permits, '') -- changes nothing; a full server refuses ZADD as the first write
  redis.call('ZADD', permits, free, '!free', beyond + tonumber(ARGV[3]), '-' .. id)
end
local _, complaint = grant(now)
settle()
return withGranted(held and 'RELEASED' or 'ABSENT', complaint)
