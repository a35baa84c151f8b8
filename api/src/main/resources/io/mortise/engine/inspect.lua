-- Looks at a lock and changes nothing.
--
-- KEYS   1 lock
-- Reply  FREE; LOCKED, ms left; or FOREIGN and what was found
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
return {'LOCKED', left}
