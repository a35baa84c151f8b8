-- Releases those of many locks that their ids hold and for which nobody waits, as leave.lua does
-- each by itself. It leaves all others as they are, and names them: they need leave.lua.
--
-- KEYS   lock, queue and alive of each, as in exclusive.lua
-- ARGV   an id for each
-- Reply  1: all are released
--        REST, the numbers of those that are not
-- Rules  L3 L10 Q2. Two commands for each.
local reply = {'REST'}
for i, id in ipairs(ARGV) do
  local waited = redis.call('EXISTS', KEYS[3 * i - 1], KEYS[3 * i]) > 0
  if waited or redis.pcall('HDEL', KEYS[3 * i - 2], id) ~= 1 then
    reply[#reply + 1] = i
  end
end
return reply[2] and reply or 1
