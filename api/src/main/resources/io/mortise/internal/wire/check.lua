-- Tries every command and channel that locks need, on keys of no lock, and leaves nothing behind.
--
-- KEYS   1 lock, 2 queue, of a name that no other client uses
-- ARGV   the channels to publish to, the caller's own first
-- Reply  OK
--        REFUSED, the command, the server's error
local hash, zset = KEYS[1], KEYS[2]
-- DEL and PEXPIRE come first: no key is written that could not be removed, or would not expire.
local steps = {
  {'DEL', hash, zset},
  {'PEXPIRE', hash, 1000},
  {'TIME'},
  {'EXISTS', hash, zset},
  {'TYPE', hash},
  {'PTTL', hash},
  {'HSET', hash, 'check', 1},
  {'PEXPIRE', hash, 1000},
  {'HEXISTS', hash, 'check'},
  {'HKEYS', hash},
  {'HDEL', hash, 'check'},
  {'ZADD', zset, 1, 'check'},
  {'PEXPIRE', zset, 1000},
  {'ZSCORE', zset, 'check'},
  {'ZRANGE', zset, 0, -1},
  {'ZREMRANGEBYSCORE', zset, '-inf', 0},
  {'ZPOPMIN', zset},
  {'ZREM', zset, 'check'},
  {'DEL', hash, zset},
  {'PUBLISH', ARGV[1], 'check'},
}
for i = 2, #ARGV do
  steps[#steps + 1] = {'PUBLISH', ARGV[i], '0'} -- Redisson's clients read numbers
end
for _, step in ipairs(steps) do
  local reply = redis.pcall(unpack(step))
  if type(reply) == 'table' and reply.err then
    redis.pcall('DEL', hash, zset)
    return {'REFUSED', step[1], reply.err}
  end
end
return {'OK'}
