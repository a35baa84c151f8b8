-- Raises the expiry of many locks to the lease, each only if its id still holds it. One bad key does
-- not spoil the rest.
--
-- KEYS   the locks
-- ARGV   1 lease (ms), then for each lock the id that should hold it
-- Reply  for each lock 1 (renewed), 0 (not held by the id), -1 (the key is of another type)
-- Rules  L8 L9. It never shortens.
local lease = tonumber(ARGV[1])
local replies = {}
for i, lock in ipairs(KEYS) do
  local held = redis.pcall('HEXISTS', lock, ARGV[i + 1])
  if held == 1 and redis.call('PTTL', lock) < lease then
    redis.call('PEXPIRE', lock, lease)
  end
  replies[i] = type(held) == 'table' and -1 or held
end
return replies
