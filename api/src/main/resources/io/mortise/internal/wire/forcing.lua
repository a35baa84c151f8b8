-- How a forced unlock ends holds. This part goes behind queue.lua.

-- These ids held until a forced unlock revoked their holds. Each is notified, and gets a tombstone
-- (ms). It leaves the queue, where it is if it had not confirmed its grant.
--
-- Q6: an id that was revoked never holds again. So the message is true however late it comes.
local function revoke(holders, now, tombstone)
  for _, holder in ipairs(holders) do
    redis.call('ZADD', alive, now + tombstone, '!' .. holder)
    redis.pcall('PUBLISH', mail .. mailbox(holder), 'lost|' .. holder .. '|' .. lock)
  end
  keep(alive, tombstone)
  for i = 1, queued and #holders or 0 do -- behind the tombstones, as a script may stop here
    redis.call('ZREM', queue, holders[i])
    redis.call('ZREM', alive, holders[i])
  end
end

-- The reply of a forced unlock.
local function forced(holders)
  local reply = {holders[1] and 'FORCED' or 'FREE'}
  for _, holder in ipairs(holders) do
    reply[#reply + 1] = holder
  end
  reply[#reply + 1] = stopped and 'more' or nil
  return reply
end
