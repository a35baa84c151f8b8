-- The waiters for a signal of one condition of a lock. The queue of queue.lua is here the queue of
-- the condition.
--
-- KEYS   1 lock     hash  the lock that belongs to the condition
--        2 queue    zset  waiting id -> ticket
--        3 alive    zset  as in queue.lua
-- ARGV   1 id
--        2 terms; the word is a step
--        3 how long a withdrawn id must not join any more (ms)
-- Steps  join      the id joins the queue
--        check     is the id still in the queue?
--        leave     the id leaves the queue
--        withdraw  as leave, for an id whose join got no answer and may still arrive
--        abandon   as leave; a signal that the id already had goes to the next waiter
--        signal    signals the first live waiter, if the id holds the lock
--        all       signals every live waiter, if the id holds the lock
-- Reply  WAITING
--        SIGNALLED: the id is not in the queue any more
--        LEFT
--        NOT_HELD: the id does not hold the lock
--        FOREIGN, what was found
--        TOLD, how many were signalled [, complaint about PUBLISH]
-- Rules  C1 C2 C3.
--#queue
--#look
--#join
--#leaving

-- The first reads of the three keys.
local held = redis.pcall('HEXISTS', lock, id)
local failed = type(held) == 'table' and held or look()
if failed then
  return refused(failed)
end

local function signal(now, most)
  local told, complaint = 0, nil
  while told < most do
    local found = redis.call('ZPOPMIN', queue)
    local head = found[1]
    if not head then
      break
    end
    local again = redis.call('ZSCORE', alive, head)
    if again then
      redis.call('ZREM', alive, head)
    end
    if asked(found[2], again) + patience > now then
      local heard = redis.pcall('PUBLISH', mail .. mailbox(head), 'signal|' .. head .. '|' .. lock)
      if heard ~= 0 or counts ~= '1' then
        told = told + 1
      end
      complaint = type(heard) == 'table' and heard.err or complaint
    end
  end
  return {'TOLD', told, complaint}
end

local now, micros = clock()
if word == 'signal' or word == 'all' then
  if held == 0 then
    return {'NOT_HELD'}
  end
  return signal(now, word == 'all' and redis.call('ZCOUNT', queue, 0, '+inf') or 1)
end

if word == 'withdraw' then
  withdraw(now, tonumber(ARGV[3]))
  return {'LEFT'}
end
local waiting = redis.call('ZSCORE', queue, id)
if word == 'join' and not buried or word == 'check' and waiting then
  join(now, micros)
  return {'WAITING'}
end
if waiting then
  withdraw(now, 0)
  return {'LEFT'}
end
if word == 'abandon' then
  signal(now, 1)
end
return {'SIGNALLED'}
