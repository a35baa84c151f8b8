-- Writes a key, unless a larger token has written it. A repetition with the same token does no
-- harm.
--
-- KEYS   1 key     string  the guarded key
--        2 beside  string  the largest token that has written the key; no expiry, as the key
--                           has none
--        3 fence   string  the counter of the lock that issues the tokens (exclusive.lua); may be
--                           left out
-- ARGV   1 token
--        2 value
-- Reply  WRITTEN
--        STALE, the largest token that has written
--        UNISSUED, the last token of the lock
--        FOREIGN, what was found
-- Rules  L13
local token = tonumber(ARGV[1])
for _, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' and kind ~= 'string' then
    return {'FOREIGN', kind}
  end
end

local text = redis.call('GET', KEYS[2])
local seen = tonumber(text or '0')
if not seen then
  return {'FOREIGN', 'string that is no token'}
end
if token < seen then
  return {'STALE', seen}
end
local last = KEYS[3] and tonumber(redis.call('GET', KEYS[3]) or '')
if last and token > last then
  return {'UNISSUED', last}
end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('SET', KEYS[1], ARGV[2])
return {'WRITTEN'}
