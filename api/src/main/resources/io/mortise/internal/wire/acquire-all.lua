-- Acquires many locks, all or none: as acquire.lua does each by itself if it is free, and nobody
-- waits or is remembered. It joins no queue and asks no holder. A repetition with the same ids is
-- refused, as they hold. Of a withdrawn id, the tombstone refuses it.
--
-- KEYS   lock, queue and alive of each, as in exclusive.lua
-- ARGV   1 lease (ms), then an id for each
-- Reply  1: all ids hold, and all are alone
--        BUSY, the number of the first that is not free, or of which something is remembered, or
--           that is not Mortise's. Nothing was written
-- Rules  L1 L10 L13 L14 Q1 Q2. One command looks at all of them, and two acquire each.
if redis.call('EXISTS', unpack(KEYS)) > 0 then
  for i = 1, #KEYS, 3 do
    if redis.call('EXISTS', KEYS[i], KEYS[i + 1], KEYS[i + 2]) > 0 then
      return {'BUSY', (i + 2) / 3}
    end
  end
end
for i = 1, #KEYS, 3 do
  redis.call('HSET', KEYS[i], ARGV[(i + 2) / 3 + 1], '1')
  redis.call('PEXPIRE', KEYS[i], ARGV[1])
end
return 1
