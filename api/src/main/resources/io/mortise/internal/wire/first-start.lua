-- The first start of the servers of a Redlock: looks whether this one was ever used, and lets it
-- vote without a quarantine.
--
-- KEYS   1 marker, see vote.lua
-- ARGV   1 pattern of the keys that must not exist
--        2 the cursor of the last reply, '0' at first; 'vote' to let it vote
--        3 the text of the set
-- Reply  NEXT, cursor     (look further)
--        FREE             (it has none of these keys)
--        USED, a key that exists
--        VOTES            (from now on)
--        UNNAMED          (INFO is refused)
--#process
local marker = KEYS[1]
local voter = process()
if voter == '' then
  return {'UNNAMED'}
end
if redis.call('EXISTS', marker) == 1 then
  return {'USED', marker}
end
if ARGV[2] == 'vote' then
  local clock = redis.call('TIME')
  local now = math.floor(clock[1] * 1000 + clock[2] / 1000)
  redis.call('HSET', marker, 'process', voter, 'from', now, 'set', ARGV[3])
  return {'VOTES'}
end
local found = redis.call('SCAN', ARGV[2], 'MATCH', ARGV[1], 'COUNT', 1000)
if found[2][1] then
  return {'USED', found[2][1]}
end
return found[1] == '0' and {'FREE'} or {'NEXT', found[1]}
