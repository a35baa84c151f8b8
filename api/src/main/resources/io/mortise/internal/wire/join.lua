-- How an id joins the queue. This part goes behind look.lua.

-- The id joins the queue or stays in it, and counts as alive for a while. To be called after look().
-- Returns its ticket: the ticket it had before, also if it fell out of the queue, or one behind all
-- others.
--
-- Both keys last for as long as their waiters count as alive, and at least half of that longer.
-- Members of alive that ended long ago are removed when its expiry is raised. If it is not raised,
-- the key itself ends.
-- fresh: neither key exists, and look() was not called
local function join(now, micros, before, fresh)
  redis.call('ZADD', alive, now + patience, id)
  if marked then
    redis.call('ZREM', alive, '?' .. home)
  end
  local ticket = tonumber(last[1] == id and last[2] or before or '')
  if last[1] ~= id then
    ticket = ticket or math.max(micros, (tonumber(last[2] or '') or 0) + 1)
    if redis.call('ZADD', queue, 'NX', ticket, id) == 0 then
      ticket = tonumber(redis.call('ZSCORE', queue, id))
    end
  end
  if not last[1] or redis.call('PTTL', queue) < 1.5 * patience then
    redis.call('PEXPIRE', queue, 2 * patience)
  end
  if fresh or redis.call('PTTL', alive) < 1.5 * patience then
    redis.call('PEXPIRE', alive, 2 * patience)
    if not fresh then
      redis.call('ZREMRANGEBYSCORE', alive, '-inf', now - 2 * patience)
    end
  end
  return ticket
end
