-- Raises the expiry of many locks to the lease, each only if its id still holds it. One bad key does
-- not spoil the rest.
--
-- KEYS   for each hold the key it is in: the lock, or the readers of a read/write lock
-- ARGV   1 lease (ms), then for each key the id that should hold it
-- Reply  for each key 1 (renewed), 0 (not held by the id), -1 (the key is of another type)
-- Rules  L8 L9. It never shortens.
local lease = tonumber(ARGV[1])
local now

local function keep(key)
  if redis.call('PTTL', key) < lease then
    redis.call('PEXPIRE', key, lease)
  end
end

-- A reader's lease that has ended is not revived.
local function read(key, id)
  local ends = redis.pcall('ZSCORE', key, id)
  if type(ends) == 'table' then
    return -1
  end
  if not now then
    local time = redis.call('TIME')
    now = math.floor(time[1] * 1000 + time[2] / 1000)
  end
  if not ends or tonumber(ends) <= now then
    return 0
  end
  redis.call('ZADD', key, 'GT', now + lease, id)
  keep(key)
  return 1
end

local function hold(key, id)
  local held = redis.pcall('HEXISTS', key, id)
  if type(held) == 'table' then
    return -1
  end
  if held == 1 then
    keep(key)
  end
  return held
end

local replies = {}
for i, key in ipairs(KEYS) do
  local id = ARGV[i + 1]
  replies[i] = string.match(id, ':r$') and read(key, id) or hold(key, id)
end
return replies
