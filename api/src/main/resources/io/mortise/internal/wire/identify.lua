-- Identifies this server, for a Redlock, whose members must not share a server or a cluster.
--
-- KEYS   1 lock; it is not read, but in a cluster it chooses the server
-- ARGV   1 'cluster' if the server is a node of one
-- Reply  the server's process, as in process.lua; its maxmemory-policy; how many replicas it has.
--        Each is empty if the server does not give it. Then the ids of the cluster's masters
--#process
local policy, replicas = 'maxmemory_policy:([%w-]+)', 'connected_slaves:(%d+)'
local reply = {process(), fact('memory', policy), fact('replication', replicas)}
if ARGV[1] == 'cluster' then
  local slots = redis.pcall('CLUSTER', 'SLOTS') -- an error has no elements
  for _, range in ipairs(slots) do
    reply[#reply + 1] = range[3][3]
  end
end
return reply
