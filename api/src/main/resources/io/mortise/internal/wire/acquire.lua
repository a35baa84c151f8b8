-- Acquires the lock, or joins its queue. A repetition with the same id does no harm: it confirms
-- what the id already holds, and raises the expiry to the lease. It is also the answer to a grant.
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
if not KEYS[4] and redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) == 0 then
  redis.call('HSET', KEYS[1], ARGV[1], '1')
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return 1
end
--#shared
local lease = tonumber(ARGV[3])

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
  local _, micros = clock()
  local number, complaint = failover()
  local last = tonumber(redis.call('GET', fence) or '') or 0
  local first = math.max(micros + 60000000 * number, last + 1)
  redis.call('SET', fence, first + tonumber(ARGV[5]) - 1, 'PX', 604800000)
  return first, complaint
end

-- The lock is free: the id acquires it. For a fenced hold, the hash has the first token instead of
-- 1.
local function enter()
  local first, complaint
  if fence then
    first, complaint = reserve()
  end
  take(id, lease, first)
  return first and {'HELD', first, complaint} or 2
end

-- The id already holds the lock. A fenced hold that was granted may have no tokens yet.
local function confirm()
  local first, complaint = fence and tonumber(redis.call('HGET', lock, id))
  if first == 1 then
    first, complaint = reserve()
    redis.call('HSET', lock, id, first)
  end
  keep(lock, lease)
  return first and {'HELD', first, complaint} or 2
end

if fence and redis.call('EXISTS', lock, queue, alive) == 0 then
  return enter()
end

local kind = stranger('string')
if kind then
  return {'FOREIGN', kind}
end
if redis.call('HEXISTS', lock, id) == 1 then
  redis.call('ZREM', alive, '?' .. mailbox(id))
  return confirm()
end
if redis.call('ZSCORE', alive, '!' .. id) then
  return {'TOO_LATE'}
end
local left = redis.call('PTTL', lock)
if left == -1 then
  return {'FOREIGN', 'hash without expiry'}
end

local now, micros = clock()
if left == -2 then
  left = reserved(now)
end
if word ~= 'join' then
  local holder = left == -2 and word == 'fair' and grant(now)
  if holder or stopped then
    return {'BUSY', window, holder or nil}
  end
  if left == -2 then
    return enter()
  end
  local held, soon = wanted(now)
  if soon and redis.call('EXISTS', queue) == 0 then
    return {'BUSY', left, held, 1}
  end
  return {'BUSY', left, held}
end

local ticket = join(now, micros, ARGV[4])
local complaint
if left == -2 then
  local head, refused = grant(now, id)
  if head == id then
    return enter()
  end
  complaint = refused
  left = head and window or stopped and -1 or -2
else
  wanted(now)
end
return {'WAIT', left, ticket, micros, complaint}
