-- Takes the lock, or joins its queue. Repeating it with the same id does no harm: what the id holds
-- already is confirmed, and the expiry raised to the lease. It is also the answer to a grant.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 id, 2 lease (ms), 3 'join', 'try' or 'fair' (a try that passes nobody), 4 how long a waiter counts as alive (ms),
--        5 grant window (ms), 6 ticket of an earlier check or '', 7 mailbox prefix,
--        8 '1' if PUBLISH counts every subscriber, 9 how many fencing tokens an acquisition may use
-- Reply  HELD [, the first fencing token]
--        WAIT, ms left of the lock (-2 none), ticket, server time (us) [, complaint about PUBLISH]
--        BUSY, ms left of the lock, an id that holds it   (only 'try' and 'fair')
--        TOO_LATE                          (this id was withdrawn)
--        FOREIGN, what was found
-- Rules  L1 L10 L11 L13 L14 Q1 Q2 Q4. Uncontended: three commands, no TIME; fenced eight.
local lease = tonumber(ARGV[2])

-- The id holds the lock. For a fenced lock its tokens are reserved, once: the hold keeps the first in
-- place of the 1. Server time (us) makes them rise also when the counter was lost.
local function held()
  if not fence then
    return {'HELD'}
  end
  local token = tonumber(redis.call('HGET', lock, id))
  if token == 1 then
    local _, micros = clock()
    token = math.max(micros, (tonumber(redis.call('GET', fence) or '') or 0) + 1)
    redis.call('SET', fence, token + tonumber(ARGV[9]) - 1, 'PX', 604800000)
    redis.call('HSET', lock, id, token)
  end
  return {'HELD', token}
end

if redis.call('EXISTS', lock, queue, alive) == 0 then
  take(id, lease)
  return held()
end

local kind = stranger('string')
if kind then
  return {'FOREIGN', kind}
end
if redis.call('HEXISTS', lock, id) == 1 then
  keep(lock, lease)
  redis.call('ZREM', alive, '?' .. mailbox(id))
  return held()
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
local terms = {window = tonumber(ARGV[5]), mail = ARGV[7], counts = ARGV[8]}
if ARGV[3] ~= 'join' then
  if left == -2 and ARGV[3] == 'fair' and grant(now, terms) then
    left = redis.call('PTTL', lock)
  end
  if left == -2 then
    take(id, lease)
    return held()
  end
  return {'BUSY', left, redis.call('HKEYS', lock)[1]}
end

local ticket = join(now, micros, tonumber(ARGV[4]), ARGV[6])
local complaint
if left == -2 then
  local head, refused = grant(now, terms, id, lease)
  if head == id then
    return held()
  end
  complaint = refused
  left = redis.call('PTTL', lock)
end
return {'WAIT', left, ticket, micros, complaint}
