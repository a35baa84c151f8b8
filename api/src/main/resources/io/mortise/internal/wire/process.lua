-- Facts about the server process that runs this script: the part that vote, first-start and
-- identify share.

-- A value in a section of INFO; '' if the server does not give it.
local function fact(section, pattern)
  local text = redis.pcall('INFO', section)
  return type(text) == 'string' and string.match(text, pattern) or ''
end

-- The run id is new at each start. The replication id is new at each start and at each promotion,
-- so a process that was a replica for a while counts as another one. '' if the server gives none.
local function process()
  local run = fact('server', 'run_id:(%w+)')
  local history = fact('replication', 'master_replid:(%w+)')
  return run ~= '' and run .. '-' .. history or ''
end
