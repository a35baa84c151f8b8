-- Acquires the lock, or joins its queue. A repetition with the same id does no harm: it confirms
-- what the id already holds, and raises the expiry to the lease. It is also the answer to a grant,
-- and the first one sets the expiry.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 id
--        2 terms; the word is 'join', 'try', or 'fair' (a try that overtakes no waiter)
--        3 lease (ms)
--        4 ticket of an earlier check, '' or left out
--        5 how many fencing tokens an acquisition may use
--        6 the number of the failover that made this server the master, 'cluster' if the server
--          knows it, or left out
-- Reply  1: it holds the lock, and is alone: nobody held it, waited or was remembered
--        2: it holds the lock; of a fenced lock HELD, the first fencing token
--           [, complaint about CLUSTER INFO]
--        WAIT, ms left of the lock (-2 none, -1 ask again at once), ticket, server time (us)
--           [, complaint about PUBLISH]
--        BUSY, ms left of the lock, an id that holds it [, 1: it was just asked for, and it may
--           turn out soon that nobody is inside]   (only 'try' and 'fair')
--        TOO_LATE                          (this id was withdrawn or revoked)
--        FOREIGN, what was found
-- Rules  L1 L10 L11 L13 L14 Q1 Q2 Q4. Uncontended: three commands, no TIME; fenced six.
local present = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3])
if present == 0 and not KEYS[4] then
  redis.call('HSET', KEYS[1], ARGV[1], '1')
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return 1
end

-- The first commands of the lock and of its counter. Only one id holds the lock (Q1), so the first
-- field of the hash is the only one.
local counter = KEYS[4] and redis.pcall('GET', KEYS[4])
local found = present > 0 and redis.pcall('HGETALL', KEYS[1]) or {}
local failed = type(counter) == 'table' and counter or found.err and found
local holder, value = found[1], found[2]

local others = present - (holder and 1 or 0)
local confirmed
if holder == ARGV[1] and not failed then
--#confirming
  if not failed and not KEYS[4] then
    if confirmed or redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
      redis.call('PEXPIRE', KEYS[1], ARGV[3])
    end
    return 2
  end
end
--#queue
--#look
if not failed and holder ~= id then
  failed = others > 0 and look(others)
end
if failed then
  return refused(failed, 'string')
end
if buried then
  return {'TOO_LATE'}
end
local left = holder and holder ~= id and redis.call('PTTL', lock) or -2
if left == -1 then
  return {'FOREIGN', 'hash without expiry'}
end
local now, micros = clock()
--#join
--#asking
if left ~= -2 then
  local ticket = word == 'join' and join(now, micros, ARGV[4])
  local soon = wanted(now, holder, value)
  if ticket then
    return {'WAIT', left, ticket, micros}
  end
  return {'BUSY', left, holder, soon and not last[1] and 1 or nil}
end

-- The lock is free, or it is fenced and the id holds it.
local lease, fence = tonumber(ARGV[3]), KEYS[4]
--#granting
--#exclusive
--#freed

-- The number of the failover that made this server the master; 0 if nobody knows it. Returns also
-- the server's complaint if it refused to tell.
local function failover()
  if ARGV[6] ~= 'cluster' then
    return tonumber(ARGV[6] or '') or 0
  end
  local found = redis.pcall('CLUSTER', 'INFO')
  if type(found) == 'table' then
    return 0, found.err
  end
  return tonumber(string.match(found, 'cluster_my_epoch:(%d+)') or '') or 0
end

-- Reserves the fencing tokens of one hold. Returns the first, and a complaint as failover(). They
-- begin at the server's time (us) or later, so they rise also when the counter was lost. Each
-- failover adds a minute: the master before it may live on, and give tokens later.
local function reserve()
  local number, complaint = failover()
  local token = math.max(micros + 60000000 * number, (tonumber(counter or '') or 0) + 1)
  redis.call('SET', fence, token + tonumber(ARGV[5]) - 1, 'PX', 604800000)
  return token, complaint
end

-- The lock is free: the id acquires it. For a fenced hold, the hash has the first token instead of
-- 1.
local function enter()
  local token, complaint
  if fence then
    token, complaint = reserve()
  end
  take(id, lease, token)
  return token and {'HELD', token, complaint} or 2
end

if holder == id then
  local token, complaint = tonumber(value)
  if token == 1 then -- it was granted, and has no tokens yet
    token, complaint = reserve()
    redis.call('HSET', lock, id, token)
  end
  if confirmed or redis.call('PTTL', lock) < lease then
    redis.call('PEXPIRE', lock, lease)
  end
  return {'HELD', token, complaint}
end
if present == 0 then
  return enter()
end

left = reserved(now)
if word ~= 'join' then
  local head = left == -2 and word == 'fair' and grant(now)
  if head or stopped then
    return {'BUSY', window, head or nil}
  end
  if left ~= -2 then
    return {'BUSY', left}
  end
  if queued then -- perhaps a late try of an id that waits: an id that holds has left the queue
    redis.call('ZREM', queue, id)
    redis.call('ZREM', alive, id)
  end
  return enter()
end
local ticket = join(now, micros, ARGV[4])
local complaint
if left == -2 then
  local head, refusal = grant(now, id)
  if head == id then
    return enter()
  end
  complaint = refusal
  left = head and window or stopped and -1 or -2
end
return {'WAIT', left, ticket, micros, complaint}
