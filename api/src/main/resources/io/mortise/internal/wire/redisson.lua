-- A lock that Redisson's clients use too: the key is Redisson's own, and who frees it says so on Redisson's
-- channel, where the waiters of both listen. Put behind exclusive.lua; short cuts do not hold here.
--
-- KEYS  as in exclusive.lua; alive has a member more:
--         +  -> end (ms) of the last turn of Redisson's clients, or when they were last looked for
-- ARGV  the last one is Redisson's channel
--
-- Redisson's clients stand in no queue, so grants from waiter to waiter would keep them out for ever. Hence
-- turns: at most every PERIOD, whoever frees the lock leaves it free for the length of a TURN if some of them
-- listen, and Mortise's waiters come back after it. Q2 does not hold during a turn, nor at Redisson's unlock.
local channel = ARGV[#ARGV]
local TURN, PERIOD = 100, 1000

-- One that ends later than a turn from now is from before a step of the clock.
local function lastTurn(now)
  local ends = tonumber(redis.call('ZSCORE', alive, '+') or '')
  return ends and ends <= now + TURN and ends or nil
end

local function note(ends)
  redis.call('ZADD', alive, ends, '+')
  keep(alive, TURN + PERIOD)
end

-- Says that the lock is free. Returns how many hear it, and the server's complaint if it refused.
local function call()
  local heard = redis.pcall('PUBLISH', channel, '0')
  if type(heard) == 'table' then
    return 0, heard.err
  end
  return heard
end

-- Whether more have heard it than the services that wait: one of the others is a client of Redisson's.
local function othersHear(heard)
  local boxes, services = {}, 0
  for _, waiting in ipairs(redis.call('ZRANGE', queue, 0, 99)) do
    local box = mailbox(waiting)
    if not boxes[box] then
      boxes[box] = true
      services = services + 1
    end
  end
  return heard > services
end

reserved = function(now)
  local ends = lastTurn(now)
  return ends and ends > now and ends - now or -2
end

freed = function(now, news)
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

unwanted = function()
  local heard, refused = call()
  if heard > 0 then
    note(clock() + TURN)
  end
  return refused
end
