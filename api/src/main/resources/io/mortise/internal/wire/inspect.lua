-- Inspects a lock and changes nothing.
--
-- KEYS   1 lock
--        2 queue, may be left out
-- Reply  FREE
--        LOCKED, ms left [, with a queue: the id that holds it, the number of waiters, and the value
--          that the lock has for it]
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
  local id = redis.call('HKEYS', lock)[1]
  local value = tonumber(redis.call('HGET', lock, id))
  return {'LOCKED', left, id, redis.call('ZCOUNT', KEYS[2], 0, '+inf'), value}
end
return {'LOCKED', left}
