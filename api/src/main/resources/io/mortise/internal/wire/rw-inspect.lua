-- Inspects the readers of a read/write lock and changes nothing.
--
-- KEYS   1 readers
--        2 queue, may be left out
-- Reply  FREE
--        LOCKED, ms left of the longest lease [, with a queue: its id, the number of waiters]
--        FOREIGN, what was found
local readers = KEYS[1]
local kind = redis.call('TYPE', readers).ok
if kind == 'none' then
  return {'FREE'}
end
if kind ~= 'zset' then
  return {'FOREIGN', kind}
end
if redis.call('PTTL', readers) == -1 then
  return {'FOREIGN', 'sorted set without expiry'}
end
local time = redis.call('TIME')
local last = redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')
local ends = tonumber(last[2])
local left = ends - math.floor(time[1] * 1000 + time[2] / 1000)
if left <= 0 then
  return {'FREE'}
end
if KEYS[2] then
  return {'LOCKED', left, last[1], redis.call('ZCOUNT', KEYS[2], 0, '+inf')}
end
return {'LOCKED', left}
