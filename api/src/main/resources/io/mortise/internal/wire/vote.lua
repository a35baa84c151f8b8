-- The part in front of acquire that makes the acquisition a vote for a Redlock in quarantine. It
-- ends the script where the server gives no vote. Otherwise it removes its own key and arguments,
-- and acquire follows as it is.
--
-- KEYS   after those of acquire: marker  hash  since when this process may vote, and for which set
-- ARGV   after those of acquire: the process that the caller expects, the text of the set, how long
--        a process that may have lost data gives no vote (ms)
-- Reply  NO_VOTE, process, ms left of its quarantine, its maxmemory-policy
--        OTHER_SET, the set that the server votes for
--        UNNAMED    (INFO is refused, so a restart could not be noticed)
--        or the reply of acquire
-- Rules  R9 R10. The marker is the one key of a lock that never expires.
--
-- No marker, or one of another process, means that data may be missing: the server was restarted,
-- restored, promoted or flushed. A vote that is lost like this was given before now, so its lease
-- is over when the quarantine is. If the clock has stepped back since, a whole quarantine from now
-- is enough too.
local function last(list)
  local value = list[#list]
  list[#list] = nil
  return value
end

local marker = last(KEYS)
local quarantine, set, expected = tonumber(last(ARGV)), last(ARGV), last(ARGV)
do
  local voter = process()
  if voter == '' then
    return {'UNNAMED'}
  end
  local bound = redis.call('HGET', marker, 'set')
  if bound and bound ~= set then
    return {'OTHER_SET', bound}
  end
  local clock = redis.call('TIME')
  local now = math.floor(clock[1] * 1000 + clock[2] / 1000)
  local from = tonumber(redis.call('HGET', marker, 'from') or '')
  local known = redis.call('HGET', marker, 'process') == voter
  if not known or not from or from > now + quarantine then
    from = now + quarantine
    redis.call('HSET', marker, 'process', voter, 'from', from, 'set', set)
  end
  if from > now or expected ~= voter then
    return {'NO_VOTE', voter, math.max(0, from - now), fact('memory', 'maxmemory_policy:([%w-]+)')}
  end
end
