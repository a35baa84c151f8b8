-- Releases those of many locks that their ids hold and for which nobody waits, as leave.lua does
-- each by itself. It leaves all others as they are, and names them: they need leave.lua.
--
-- KEYS   the lock of each, then queue and alive of each, as in exclusive.lua
-- ARGV   an id for each
-- Reply  1: all are released
--        REST, the numbers of those that are not
-- Rules  L3 L10 Q2. One command looks whether anybody waits, and one releases each.
local reply = {'REST'}
local some = redis.call('EXISTS', unpack(KEYS, #ARGV + 1)) > 0
for i, id in ipairs(ARGV) do
  local last = #ARGV + 2 * i
  local waited = some and redis.call('EXISTS', KEYS[last - 1], KEYS[last]) > 0
  if waited or redis.pcall('HDEL', KEYS[i], id) ~= 1 then
    reply[#reply + 1] = i
  end
end
return reply[2] and reply or 1
