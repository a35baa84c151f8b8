-- Lists some of the keys of one server, and changes nothing. A cursor leads to the next ones, so no
-- call is long. In a cluster it can also tell which hash slots each master has.
--
-- KEYS   1 any key; it is not read, but in a cluster it chooses the server
-- ARGV   1 the cursor of the last reply, '0' at first; 'masters' for the hash slots
--        2 pattern of the keys
--        3 how many keys it looks at, about
-- Reply  the next cursor, '0' at the end; a list of keys. A key may come twice
--        'masters': for each range of slots the first, the last, and the id of its master
if ARGV[1] == 'masters' then
  local reply = {}
  for _, range in ipairs(redis.call('CLUSTER', 'SLOTS')) do
    reply[#reply + 1] = range[1]
    reply[#reply + 1] = range[2]
    reply[#reply + 1] = range[3][3]
  end
  return reply
end
return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
