-- Identifies this server, for a Redlock, whose members must not share a server.
--
-- Reply  the server's run id; empty if the server does not give it
local info = redis.pcall('INFO', 'server')
return {type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''}
