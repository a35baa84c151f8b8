-- Ends the hold of an id, and keeps its place taken for a rest of time. The place goes on under
-- another id, which no service uses: only a forced unlock touches it. So no late or repeated
-- command of the id can end the rest early, or make it longer.
--
-- KEYS   1 the key that the hold is in: the lock, the readers of a read/write lock, or a semaphore
--        2 queue, 3 alive  as in queue.lua
-- ARGV   1 id
--        2 the id of the rest, with the same suffix :r or :p3
--        3 the rest (ms)
--        4 how long the id must not acquire any more (ms); 0 unless its acquire got no answer
--        5, 6 of a lock shared with Redisson: the command that publishes, and Redisson's channel
-- Reply  1: the id held it, or this is a repetition
--        ABSENT: it did not hold it
-- Rules  L14 L27 Q1. It lowers an expiry, and only that of the id's own hold. It grants nothing. Something becomes free only where the id holds again, by a late command,
-- after it has left: a waiter finds that at its next check.
local key, queue, alive = KEYS[1], KEYS[2], KEYS[3]
local id, rest, ms, tombstone = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = math.floor(time[1] * 1000 + time[2] / 1000)

-- The id leaves for good, as leave.lua does it for an id that is released.
local function forget()
  local box = string.match(id, '^[^:]*')
  if tombstone > 0 and type(redis.pcall('ZADD', alive, now + tombstone, '!' .. id)) == 'number'
    and redis.call('PTTL', alive) < tombstone then
    redis.call('PEXPIRE', alive, tombstone)
  end
  redis.pcall('ZREM', queue, id)
  redis.pcall('ZREM', alive, id, '?' .. box)
end

-- A hold in a hash is alone in it.
local function moveHold()
  local held = redis.pcall('HEXISTS', key, id)
  if held ~= 1 then
    return held == 0 and redis.call('HEXISTS', key, rest) == 1
  end
  redis.call('HSET', key, rest, '1')
  redis.call('HDEL', key, id)
  redis.call('PEXPIRE', key, ms)
  return true
end

-- A hold in a sorted set is one of several. The key must outlive it by so long (ms). What an id
-- has given back of its permits (-id, see sem.lua) is given back for good. If the place is kept
-- already, the id holds again by a late command, and gives that back.
local function moveShare(outlives)
  local ends = redis.pcall('ZSCORE', key, id)
  if type(ends) ~= 'string' then
    return not ends and redis.call('ZSCORE', key, rest)
  end
  if tonumber(ends) <= now then
    return false
  end
  local back = redis.call('ZSCORE', key, '-' .. id)
  local new = redis.call('ZADD', key, 'NX', now + ms, rest) == 1
  local permits = string.match(id, ':p(%d+)$')
  if new and back then
    redis.call('ZADD', key, back, '-' .. rest)
  elseif permits and not new then
    local returned = back and tonumber(back) - 4000000000000000 or 0
    redis.call('ZADD', key, 'INCR', tonumber(permits) - returned, '!free')
  end
  redis.call('ZREM', key, id, '-' .. id)
  if new and redis.call('PTTL', key) < ms + outlives then
    redis.call('PEXPIRE', key, ms + outlives)
  end
  return true
end

forget()
local moved
if string.match(id, ':r$') then
  moved = moveShare(0)
elseif string.match(id, ':p%d+$') then
  moved = moveShare(604800000)
else
  moved = moveHold()
end
if not moved then
  return {'ABSENT'}
end
if ARGV[5] then
  redis.pcall(ARGV[5], ARGV[6], '0') -- the waiters learn how long the rest is
end
return 1
