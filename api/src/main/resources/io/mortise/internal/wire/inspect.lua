-- Inspects a lock and changes nothing.
--
-- KEYS   1 lock
--        2 queue, may be left out
-- Reply  FREE
--        LOCKED, ms left [, with a queue: the id that holds it, the number of waiters]
--        FOREIGN, what was found
local lock = KEYS[1]
local kind = redis.call('TYPE', lock).ok
if kind == 'none' then
  return {'FREE'}
end
local left = redis.call('PTTL', lock)
if kind ~= 'hash' then
  return {'FOREIGN', kind}
end
if left == -1 then
  return {'FOREIGN', 'hash without expiry'}
end
if KEYS[2] then
  return {'LOCKED', left, redis.call('HKEYS', lock)[1], redis.call('ZCARD', KEYS[2])}
end
return {'LOCKED', left}
