-- How an id joins the queue. This part goes behind look.lua.

-- A new ticket is never below the last one. If it is so far (us) ahead of the clock, the clock has
-- stepped back. Then the ticket does not say when its id has joined.
local AHEAD = 1000000

-- The id joins the queue or stays in it, and counts as alive for a while: a new id by its ticket,
-- and an id that asks again by alive. So does an id with a ticket that is ahead of the clock. To be
-- called after look(), or without it if neither key exists.
-- Returns its ticket: the ticket it had before, also if it fell out of the queue or was granted the
-- lock and did not confirm, or one behind all others.
--
-- Both keys last for as long as their waiters count as alive, and at least half of that longer.
-- Members of alive that ended long ago are removed when its expiry is raised. If it is not raised,
-- the key itself ends.
local function join(now, micros, before)
  local again = last[1] == id
  local ticket = tonumber(again and last[2] or before or '')
  if not again then
    local behind = (tonumber(last[2] or '') or 0) + 1
    again = ticket or marked or behind > micros + AHEAD
    ticket = ticket or math.max(micros, behind)
    if redis.call('ZADD', queue, 'NX', ticket, id) == 0 then
      again = true
      ticket = tonumber(redis.call('ZSCORE', queue, id))
      if ticket < 0 then
        ticket = -ticket
        redis.call('ZADD', queue, ticket, id)
      end
    end
  end
  if not queued or redis.call('PTTL', queue) < 1.5 * patience then
    redis.call('PEXPIRE', queue, 2 * patience)
  end
  if again then
    redis.call('ZADD', alive, now, id)
    if marked then
      redis.call('ZREM', alive, '?' .. home)
    end
    if redis.call('PTTL', alive) < 1.5 * patience then
      redis.call('PEXPIRE', alive, 2 * patience)
      redis.call('ZREMRANGEBYSCORE', alive, '-inf', now - 2 * patience)
    end
  end
  return ticket
end
