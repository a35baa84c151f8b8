-- Raises the expiry of many locks to the lease, each only if its id still holds it. A bad key does
-- not affect the others.
--
-- KEYS   for each hold the key it is in: the lock, the readers of a read/write lock, or a semaphore
-- ARGV   1 lease (ms), then for each key the id that should hold it
-- Reply  for each key 1 (renewed), 0 (not held by the id), -1 (the key has another type)
-- Rules  L8 L9. It never shortens a lease.
local lease = tonumber(ARGV[1])

-- A short cut for one exclusive hold: in a cluster, each command renews one hold.
if not KEYS[2] and not string.match(ARGV[2], ':[rp]%d*$') then
  local held = redis.pcall('HEXISTS', KEYS[1], ARGV[2])
  if held == 1 and redis.call('PTTL', KEYS[1]) < lease then
    redis.call('PEXPIRE', KEYS[1], lease)
  end
  return {type(held) == 'table' and -1 or held}
end

local now

-- The keys that are still held, each once, and how long (ms) each must outlive the lease. They get
-- their expiry at the very end: see keep in queue.lua.
local kept, rests = {}, {}

local function outlives(key, rest)
  if not rests[key] then
    kept[#kept + 1] = key
  end
  rests[key] = rest
end

-- Renews one of several holds in a sorted set: a reader, or a holder of permits, whose semaphore
-- outlives them (rest, ms). A lease that has ended is not revived.
local function share(key, id, rest)
  local ends = redis.pcall('ZSCORE', key, id)
  if type(ends) == 'table' then
    return -1
  end
  if not now then
    local time = redis.call('TIME')
    now = math.floor(time[1] * 1000 + time[2] / 1000)
    -- A full server refuses ZADD as the first write of a script, and then no hold would be renewed.
    -- This write changes nothing, and is never refused.
    redis.call('ZREM', key, '')
  end
  if not ends or tonumber(ends) <= now then
    return 0
  end
  redis.call('ZADD', key, 'GT', now + lease, id)
  outlives(key, rest)
  return 1
end

local function hold(key, id)
  local held = redis.pcall('HEXISTS', key, id)
  if type(held) == 'table' then
    return -1
  end
  if held == 1 then
    outlives(key, 0)
  end
  return held
end

local replies = {}
for i, key in ipairs(KEYS) do
  local id = ARGV[i + 1]
  if string.match(id, ':r$') then
    replies[i] = share(key, id, 0)
  elseif string.match(id, ':p%d+$') then
    replies[i] = share(key, id, 604800000)
  else
    replies[i] = hold(key, id)
  end
end
for _, key in ipairs(kept) do
  local ms = lease + rests[key]
  if redis.call('PTTL', key) < ms then
    redis.call('PEXPIRE', key, ms)
  end
end
return replies
