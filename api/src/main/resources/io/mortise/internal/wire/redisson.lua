-- A lock that Redisson's clients acquire too. The key is Redisson's own. A release is announced on
-- Redisson's channel, to which the waiters of both libraries listen. This file is in the
-- place of unshared.lua. The short cut of leave.lua does not apply, because a release must be
-- announced: its ARGV 3 is never left out.
--
-- KEYS  as in exclusive.lua; alive has one more member:
--         +  -> end (ms) of the last time reserved for Redisson's clients, or the time (ms) when a
--               release last looked for them
-- ARGV  the last two are the command that publishes, PUBLISH or SPUBLISH, and Redisson's channel
--
-- Redisson's clients join no queue, so grants from waiter to waiter would keep them out for ever.
-- So a release reserves time for them: if some of them listen, it leaves the lock free for TURN ms,
-- at most once every PERIOD ms. Mortise's waiters come back after it. Q2 does not hold in the
-- reserved time, nor at Redisson's unlock.
local publish, channel = ARGV[#ARGV - 1], ARGV[#ARGV]
local TURN, PERIOD = 100, 1000

-- The end (ms) of the last reserved time, or nil. If it is later than TURN from now, the clock has
-- stepped back since, and it does not count.
local function lastTurn(now)
  local ends = tonumber(redis.call('ZSCORE', alive, '+') or '')
  return ends and ends <= now + TURN and ends or nil
end

local function note(ends)
  redis.call('ZADD', alive, ends, '+')
  keep(alive, TURN + PERIOD)
end

-- Announces that the lock is free. Returns how many receive it, and the server's complaint if it
-- refused the message.
local function call()
  local heard = redis.pcall(publish, channel, '0')
  if type(heard) == 'table' then
    return 0, heard.err
  end
  return heard
end

-- Whether a client of Redisson is among the receivers: there are more of them than services that
-- wait.
local function othersHear(heard)
  local boxes, services = {}, 0
  for _, waiting in ipairs(redis.call('ZRANGE', queue, 0, '+inf', 'BYSCORE', 'LIMIT', 0, 100)) do
    local box = mailbox(waiting)
    if not boxes[box] then
      boxes[box] = true
      services = services + 1
    end
  end
  return heard > services
end

local function reserved(now)
  local ends = lastTurn(now)
  return ends and ends > now and ends - now or -2
end

local function freed(now, news)
  if not news then
    if reserved(now) > 0 then
      return nil
    end
    return grant(now)
  end
  local ends = lastTurn(now)
  local due = not ends or ends + PERIOD <= now
  local head, complaint
  if not due then
    head, complaint = grant(now)
    if head then
      return head, complaint
    end
  end
  local heard, refused = call()
  if heard == 0 then
    redis.call('ZREM', alive, '+')
  elseif due then
    local theirs = othersHear(heard)
    note(theirs and now + TURN or now)
    if theirs then
      return nil, refused
    end
  end
  if due then
    head, complaint = grant(now)
  end
  return head, complaint or refused
end

local function unwanted()
  local heard, refused = call()
  if heard > 0 then
    note(clock() + TURN)
  end
  return refused
end
