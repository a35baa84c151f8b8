-- Tries every command and channel that locks need, on keys of no lock, and leaves nothing behind.
--
-- KEYS   1 lock, 2 queue, of a name that no other client uses
-- ARGV   the caller's own channel; for locks shared with Redisson also the command that publishes
--        to Redisson's channels, and the channel of the name
-- Reply  OK, how many heard the message to the caller's own channel
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
  {'HGETALL', hash},
  {'HGET', hash, 'check'},
  {'HDEL', hash, 'check'},
  {'ZADD', zset, 1, 'check'},
  {'PEXPIRE', zset, 1000},
  {'ZSCORE', zset, 'check'},
  {'ZMSCORE', zset, 'check'},
  {'ZRANGE', zset, 0, -1},
  {'ZREMRANGEBYSCORE', zset, '-inf', 0},
  {'ZPOPMIN', zset},
  {'ZREM', zset, 'check'},
  {'DEL', hash, zset},
  {'PUBLISH', ARGV[1], 'check'},
}
if ARGV[3] then
  steps[#steps + 1] = {ARGV[2], ARGV[3], '0'} -- Redisson's clients read numbers
end
local heard
for _, step in ipairs(steps) do
  local reply = redis.pcall(unpack(step))
  if type(reply) == 'table' and reply.err then
    redis.pcall('DEL', hash, zset)
    return {'REFUSED', step[1], reply.err}
  end
  if step[2] == ARGV[1] then
    heard = reply
  end
end
return {'OK', heard}
