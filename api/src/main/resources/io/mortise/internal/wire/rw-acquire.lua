-- Takes the read/write lock in the mode of the id, or joins its queue. Repeating it with the same id
-- does no harm: what the id holds already is confirmed, and the expiry raised to the lease. It is also
-- the answer to a grant.
--
-- KEYS   as in rw.lua
-- ARGV   1 id, 2 terms, the word 'join' or 'try' (which passes nobody), 3 lease (ms), 4 ticket of an earlier
--        check, '' or left out,
--        5 id of what the same thread holds in the other mode, '' or left out: a writer's reads beside it at once;
--          a reader's writes (only 'try') if nobody else is inside, whoever waits
-- Reply  1, it is inside
--        WAIT, ms until nobody may be inside (-2 now), ticket, server time (us) [, complaint about PUBLISH]
--        BUSY, ms until nobody may be inside (only 'try')
--        TOO_LATE                            (this id was withdrawn)
--        FOREIGN, what was found
-- Rules  L1 L10 L11 L14 Q1 Q2 Q4. Uncontended: a writer three commands, no TIME; a reader five.
local id, lease, beside = ARGV[1], tonumber(ARGV[3]), ARGV[5] or ''

if string.match(id, ':r$') then
  if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) == 0 then
    local readers = KEYS[4]
    local left = redis.call('PTTL', readers)
    local time = redis.call('TIME')
    local ends = math.floor(time[1] * 1000 + time[2] / 1000) + lease
    if left ~= -1 and type(redis.pcall('ZADD', readers, 'GT', ends, id)) == 'number' then
      if left < lease then
        redis.call('PEXPIRE', readers, lease)
      end
      return 1
    end
  end
elseif beside == '' and redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4]) == 0 then
  redis.call('HSET', KEYS[1], id, '1')
  redis.call('PEXPIRE', KEYS[1], lease)
  return 1
end
--#shared

local found = foreign()
if found then
  return {'FOREIGN', found}
end
local now, micros = clock()
forget(now)

local function holds()
  if reads(id) then
    return redis.call('ZSCORE', readers, id)
  end
  return redis.call('HEXISTS', lock, id) == 1
end

-- Whether the same thread's hold in the other mode lets this id in.
local function mayJoinItself()
  if reads(id) then
    return redis.call('HEXISTS', lock, beside) == 1
  end
  local inside = redis.call('ZRANGE', readers, 0, 1)
  return writing == -2 and inside[1] == beside and not inside[2]
end

-- Until the last of those inside must have gone.
local function left()
  return writing == -2 and ends and ends - now or writing
end

if holds() then
  redis.call('ZREM', alive, '?' .. mailbox(id))
  take(id, now, lease)
  settle()
  return 1
end
if redis.call('ZSCORE', alive, '!' .. id) then
  return {'TOO_LATE'}
end
if beside ~= '' and mayJoinItself() then
  take(id, now, lease)
  settle()
  return 1
end

local upgrade = beside ~= '' and not reads(id)
local reply = enter(now, micros, lease, not upgrade, left)
settle()
return reply
