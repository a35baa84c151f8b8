-- What every engine must answer to the Lua and the commands that lock scripts use. Each sample runs on
-- three keys that do not exist; ARGV[1] is a channel nobody listens to. Its lines:
--   three dashes and its name, "<" and ARGV[2] and following, the script,
--   then ">" and the elements of the array it replies with, or "!" and the beginning of its error.

--- arguments are strings
--< 007
return {type(ARGV[2]), ARGV[2]}
--> "string", "007"

--- lengths
--< abc d
return {#KEYS, #ARGV, #ARGV[2]}
--> 3, 3, 3

--- an absent argument is nil
return {ARGV[9] == nil and 1 or 0}
--> 1

--- the client of an id
--< host%20a-12:7:main
return {string.match(ARGV[2], '^[^:]*'), string.match('alone', '^[^:]*')}
--> "host%20a-12", "alone"

--- the mode of an id
--< host~1~ab:7:12:r host~1~ab:7:12
return {string.match(ARGV[2], ':r$'), string.match(ARGV[3], ':r$') and 1 or 0}
--> ":r", 0

--- a prefix by sub
--< g|id
return {string.sub(ARGV[2], 1, 2), string.sub(ARGV[2], 3), #string.sub('', 1, 1)}
--> "g|", "id", 0

--- texts join
--< a b
return {ARGV[2] .. ':' .. ARGV[3]}
--> "a:b"

--- loops and tables
local r = {}
for i, v in ipairs({'a', 'b'}) do r[#r + 1] = v r[#r + 1] = i end
for i = 3, 1, -1 do table.insert(r, i) end
return r
--> "a", 1, "b", 2, 3, 2, 1

--- while, break and repeat
local n = 0
while true do n = n + 1 if n == 5 then break end end
repeat n = n - 1 until n <= 2
return {n}
--> 2

--- a local function with several results
local function f(a) return a, a + 1 end
local x, y = f(4)
return {x, y, (f(9))}
--> 4, 5, 9

--- a table as a set
local dead = {} dead['a'] = true
local r = {}
for _, b in ipairs({'a', 'b'}) do if not dead[b] then r[#r + 1] = b end end
return r
--> "b"

--- nested tables
return {{}, {1, {'x'}}}
--> [], [1, ["x"]]

--- true is 1
return {true, 'x'}
--> 1, "x"

--- and, or, not
return {nil or 'd', not nil and 1 or 0, (0 and 1)}
--> "d", 1, 1

--- texts are equal by content
--< try
return {ARGV[2] == 'try' and 1 or 0}
--> 1

--- a time in µs stays exact
return {1700000000123456 + 1}
--> 1700000000123457

--- tonumber
--< 1700000000123456
return {
  tonumber(ARGV[2]) + 1, tonumber('x') == nil and 1 or 0, tonumber('') == nil and 1 or 0,
  tonumber('-5')
}
--> 1700000000123457, 1, 1, -5

--- a fraction is cut off
return {3.99, -3.99, 7 / 2}
--> 3, -3, 3

--- math and remainders
return {math.floor(7.9), math.max(3, 9), math.min(3, 9), 7 % 3, -7 % 3}
--> 7, 9, 3, 1, 2

--- numbers compare as numbers
return {10 > 9 and 1 or 0}
--> 1

--- the server's time
local t = redis.call('TIME')
local us = tonumber(t[1]) * 1000000 + tonumber(t[2])
return {#t, type(t[1]), type(t[2]), us >= 0 and us % 1 or 1, tonumber(t[2]) < 1000000 and 1 or 0}
--> 2, "string", "string", 0, 1

--- a number as an argument of a command
redis.call('SET', KEYS[1], 1700000000123456 + 1)
return {redis.call('GET', KEYS[1])}
--> "1700000000123457"

--- a negative number as an argument
redis.call('SET', KEYS[1], -3)
return {redis.call('GET', KEYS[1])}
--> "-3"

--- an error reply
return redis.error_reply('MY text')
--! MY text

--- an error table
return {err = 'MY text'}
--! MY text

--- reading an undeclared global
return {nosuch}
--! ERR

--- writing a global
nosuch = 1
return {1}
--! ERR

--- changing a library
string.match = nil
return {1}
--! ERR

--- a raised error
error('boom')
--! ERR

--- an unknown command
return {redis.call('NOSUCH')}
--! ERR

--- globals through pcall
local r = pcall(function() return nosuch end)
local w = pcall(function() nosuch = 1 end)
return {r and 1 or 0, w and 1 or 0}
--> 0, 0

--- redis.pcall answers an error table
redis.call('SET', KEYS[1], 'v')
local r = redis.pcall('HGET', KEYS[1], 'f')
return {type(r), type(r.err)}
--> "table", "string"

--- redis.pcall passes a good reply on
local r = redis.pcall('SET', KEYS[1], 'v')
return {r.ok, r.err == nil and 1 or 0}
--> "OK", 1

--- redis.call raises, and pcall catches it
redis.call('SET', KEYS[1], 'v')
local ok = pcall(redis.call, 'HGET', KEYS[1], 'f')
return {ok and 1 or 0}
--> 0

--- TYPE tells a foreign key
redis.call('SET', KEYS[1], 'v')
redis.call('HSET', KEYS[2], 'f', 'v')
redis.call('ZADD', KEYS[3], 1, 'm')
return {
  redis.call('TYPE', KEYS[1]).ok, redis.call('TYPE', KEYS[2]).ok, redis.call('TYPE', KEYS[3]).ok,
  redis.call('TYPE', KEYS[1] .. 'x').ok
}
--> "string", "hash", "zset", "none"

--- what was written before an error stays
pcall(function() redis.call('SET', KEYS[1], 'v') error('boom') end)
return {redis.call('GET', KEYS[1])}
--> "v"

--- GET of nothing is false
local r = redis.call('GET', KEYS[1])
return {r == false and 1 or 0, r == nil and 1 or 0, r and 1 or 0, tonumber(r or '7')}
--> 1, 0, 0, 7

--- SET, GET, DEL
--< ä€
return {
  redis.call('SET', KEYS[1], ARGV[2]), redis.call('GET', KEYS[1]),
  redis.call('DEL', KEYS[1], KEYS[2]), redis.call('DEL', KEYS[1])
}
--> "OK", "ä€", 1, 0

--- SET NX and PX
return {
  redis.call('SET', KEYS[1], 'a', 'NX', 'PX', 5000),
  redis.call('SET', KEYS[1], 'b', 'NX') == false and 1 or 0, redis.call('GET', KEYS[1])
}
--> "OK", 1, "a"

--- INCR and INCRBY
return {redis.call('INCR', KEYS[1]), redis.call('INCRBY', KEYS[1], 64)}
--> 1, 65

--- EXISTS counts its keys
local none = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3])
redis.call('SET', KEYS[2], 'v')
return {none, redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]), redis.call('EXISTS', KEYS[2], KEYS[2])}
--> 0, 1, 2

--- PTTL of nothing, without and with an end
--< 30000
local none = redis.call('PTTL', KEYS[1])
redis.call('SET', KEYS[1], 'v')
local without = redis.call('PTTL', KEYS[1])
local set = redis.call('PEXPIRE', KEYS[1], ARGV[2])
local p = redis.call('PTTL', KEYS[1])
return {none, without, set, p > 29000 and p <= 30000 and 1 or p, redis.call('PEXPIRE', KEYS[2], 1000)}
--> -2, -1, 1, 1, 0

--- a number as PEXPIRE's argument, and PERSIST
redis.call('SET', KEYS[1], 'v')
redis.call('PEXPIRE', KEYS[1], 2 * 15000)
local p = redis.call('PTTL', KEYS[1])
return {p > 29000 and p <= 30000 and 1 or p, redis.call('PERSIST', KEYS[1]), redis.call('PTTL', KEYS[1])}
--> 1, 1, -1

--- PEXPIRE 0 deletes
redis.call('SET', KEYS[1], 'v')
return {redis.call('PEXPIRE', KEYS[1], 0), redis.call('EXISTS', KEYS[1])}
--> 1, 0

--- HSET, HEXISTS, HGET, HDEL
return {
  redis.call('HEXISTS', KEYS[1], 'a'), redis.call('HSET', KEYS[1], 'a', 1),
  redis.call('HSET', KEYS[1], 'a', 2), redis.call('HGET', KEYS[1], 'a'),
  redis.call('HEXISTS', KEYS[1], 'a'), redis.call('HDEL', KEYS[1], 'b'),
  redis.call('HDEL', KEYS[1], 'a'), redis.call('EXISTS', KEYS[1])
}
--> 0, 1, 0, "2", 1, 0, 1, 0

--- HKEYS, HLEN, HGETALL
--< id:1
local none = redis.call('HKEYS', KEYS[1])
redis.call('HSET', KEYS[1], ARGV[2], 1)
return {
  #none, redis.call('HKEYS', KEYS[1]), redis.call('HLEN', KEYS[1]), redis.call('HKEYS', KEYS[1])[1],
  redis.call('HGETALL', KEYS[1])
}
--> 0, ["id:1"], 1, "id:1", ["id:1", "1"]

--- HINCRBY
redis.call('HSET', KEYS[1], 'a', 1)
return {redis.call('HINCRBY', KEYS[1], 'a', 1), redis.call('HINCRBY', KEYS[1], 'a', -2)}
--> 2, 0

--- a field more keeps the TTL
redis.call('HSET', KEYS[1], 'a', 1)
redis.call('PEXPIRE', KEYS[1], 30000)
redis.call('HSET', KEYS[1], 'b', 1)
redis.call('HDEL', KEYS[1], 'a')
return {redis.call('PTTL', KEYS[1]) > 29000 and 1 or 0}
--> 1

--- a score in µs stays exact
redis.call('ZADD', KEYS[1], 1700000000123456 + 1, 'm')
local s = redis.call('ZSCORE', KEYS[1], 'm')
return {s, tonumber(s) + 1, redis.call('ZSCORE', KEYS[1], 'x') == false and 1 or 0}
--> "1700000000123457", 1700000000123458, 1

--- ZMSCORE has false where a member is missing, also in a key that is missing
redis.call('ZADD', KEYS[1], 5, 'm')
local found = redis.call('ZMSCORE', KEYS[1], 'x', 'm')
local none = redis.call('ZMSCORE', KEYS[2], 'a', 'b')
return {#found, found[1] == false and 1 or 0, found[2], #none, none[2] == false and 1 or 0}
--> 2, 1, "5", 2, 1

--- the first command of a key of another type is an error without elements, and writes nothing
redis.call('SET', KEYS[1], 'theirs')
local hash = redis.pcall('HGETALL', KEYS[1])
local zset = redis.pcall('ZMSCORE', KEYS[1], 'm')
return {hash.err and 1 or 0, #hash, zset.err and 1 or 0, #zset, redis.call('GET', KEYS[1])}
--> 1, 0, 1, 0, "theirs"

--- ZSCORE of no key is false
return {redis.call('ZSCORE', KEYS[1], 'm') and 1 or 0}
--> 0

--- ZADD, also with NX
return {
  redis.call('ZADD', KEYS[1], 5, 'm'), redis.call('ZADD', KEYS[1], 6, 'm'),
  redis.call('ZADD', KEYS[1], 'NX', 7, 'm'), redis.call('ZSCORE', KEYS[1], 'm'),
  redis.call('ZADD', KEYS[1], 'NX', 7, 'n')
}
--> 1, 0, 0, "6", 1

--- ZPOPMIN takes the lowest, ties by name
redis.call('ZADD', KEYS[1], 1700000000123456, 'b')
redis.call('ZADD', KEYS[1], 1700000000123456 + 1, 'a')
redis.call('ZADD', KEYS[1], 1700000000123456, 'c')
local h = redis.call('ZPOPMIN', KEYS[1])
return {
  h[1], h[2], redis.call('ZPOPMIN', KEYS[1])[1], redis.call('ZPOPMIN', KEYS[1])[1],
  #redis.call('ZPOPMIN', KEYS[1]), redis.call('EXISTS', KEYS[1])
}
--> "b", "1700000000123456", "c", "a", 0, 0

--- ZRANGE
redis.call('ZADD', KEYS[1], 1700000000123456, 'b')
redis.call('ZADD', KEYS[1], 1700000000123456 + 1, 'a')
redis.call('ZADD', KEYS[1], 1700000000123456, 'c')
return {
  redis.call('ZRANGE', KEYS[1], 0, -1), redis.call('ZRANGE', KEYS[1], 0, 0),
  redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES'), redis.call('ZRANGE', KEYS[1], 5, 9),
  redis.call('ZRANGE', KEYS[2], 0, -1)
}
--> ["b", "c", "a"], ["b"], ["a", "1700000000123457"], [], []

--- ZRANGEBYSCORE
--< 1700000000123456
redis.call('ZADD', KEYS[1], 1700000000123456, 'b')
redis.call('ZADD', KEYS[1], 1700000000123456 + 1, 'a')
redis.call('ZADD', KEYS[1], 1700000000123456, 'c')
return {
  redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', 1700000000123456),
  redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf', 'LIMIT', 0, 1),
  redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[2], '+inf')
}
--> ["b", "c"], ["b"], ["a"]

--- ZREMRANGEBYSCORE, ZCARD, ZREM
redis.call('ZADD', KEYS[1], 1700000000123456, 'b')
redis.call('ZADD', KEYS[1], 1700000000123456 + 1, 'a')
redis.call('ZADD', KEYS[1], 1700000000123456, 'c')
return {
  redis.call('ZCARD', KEYS[1]), redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', 1700000000123456),
  redis.call('ZREM', KEYS[1], 'b'), redis.call('ZREM', KEYS[1], 'a', 'z'),
  redis.call('ZCARD', KEYS[1]), redis.call('EXISTS', KEYS[1])
}
--> 3, 2, 0, 1, 0, 0

--- PUBLISH to nobody answers 0, through redis.pcall too
--< g|id:1
local r = redis.pcall('PUBLISH', ARGV[1], ARGV[2])
return {redis.call('PUBLISH', ARGV[1], 'x'), type(r), r}
--> 0, "number", 0

--- HSET of several fields
return {redis.call('HSET', KEYS[1], 'a', 1, 'b', 2), redis.call('HLEN', KEYS[1])}
--> 2, 2

--- ZADD with GT only raises
return {
  redis.call('ZADD', KEYS[1], 'GT', 5, 'm'), redis.call('ZADD', KEYS[1], 'GT', 4, 'm'),
  redis.call('ZSCORE', KEYS[1], 'm'),
  redis.call('ZADD', KEYS[1], 'GT', 6, 'm'), redis.call('ZSCORE', KEYS[1], 'm')
}
--> 1, 0, "5", 0, "6"

--- ZADD of another type's key is an error
redis.call('HSET', KEYS[1], 'f', 1)
return {type(redis.pcall('ZADD', KEYS[1], 'GT', 1, 'm')), type(redis.pcall('ZADD', KEYS[2], 1, 'm'))}
--> "table", "number"

--- ZADD of several members
return {redis.call('ZADD', KEYS[1], 2, 'b', 1, 'a'), redis.call('ZRANGE', KEYS[1], 0, -1)}
--> 2, ["a", "b"]

--- a token that rises by one, or jumps to the time
--< 1700000000123456
local function next_token(now)
  local token = math.max(tonumber(redis.call('GET', KEYS[1]) or '0') + 1, now)
  redis.call('SET', KEYS[1], token, 'PX', 60000)
  return token
end
return {next_token(tonumber(ARGV[2])), next_token(5), next_token(tonumber(ARGV[2]) + 9)}
--> 1700000000123456, 1700000000123457, 1700000000123465

--- take if free, else the time left
--< a:1 b:1 30000
local function take(id)
  if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) == 0 then
    redis.call('HSET', KEYS[1], id, 1)
    redis.call('PEXPIRE', KEYS[1], ARGV[4])
    return 1
  end
  if redis.call('HEXISTS', KEYS[1], id) == 1 then
    if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) * 2 then
      redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[4]) * 2)
    end
    return 2
  end
  return redis.call('PTTL', KEYS[1]) > 30000 and 3 or 4
end
return {take(ARGV[2]), take(ARGV[3]), take(ARGV[2]), take(ARGV[3])}
--> 1, 4, 2, 3

--- pop waiters until one is alive
--< 1700000000123
redis.call('ZADD', KEYS[1], 1, 'gone', 2, 'late', 3, 'live')
redis.call('ZADD', KEYS[2], ARGV[2] - 1, 'late', ARGV[2] + 1, 'live')
local dropped = {}
while true do
  local h = redis.call('ZPOPMIN', KEYS[1])[1]
  if not h then return {'none'} end
  local alive = redis.call('ZSCORE', KEYS[2], h)
  redis.call('ZREM', KEYS[2], h)
  if alive and tonumber(alive) > tonumber(ARGV[2]) then return {h, dropped} end
  dropped[#dropped + 1] = h
end
--> "live", ["gone", "late"]
