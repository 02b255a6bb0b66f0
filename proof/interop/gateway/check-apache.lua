-- Asks mintmark-verify about a request, for LuaHookAccessChecker. An error in here is a 500 of Apache, and nothing passes.
local http = require 'socket.http'

local ADDRESS = 'http://' .. os.getenv('CHECK') .. '/check?scope=db:read'
local PASSED_ON = { 'Authorization', 'DPoP' }
local SET = { 'X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope', 'X-Auth-Actor' }

http.TIMEOUT = 5

function check(r)
  -- Apache would take away what Connection names, after it was set here (RFC 9110 §7.6.1).
  if (r.headers_in['Connection'] or ''):lower():find('x[-_]auth[-_]') then return 400 end
  -- Whatever a caller wrote there itself is gone, in each spelling that a framework may read.
  for name in pairs(r:headers_in_table()) do
    if name:lower():find('^x[-_]auth[-_]') then r.headers_in[name] = nil end
  end
  -- Apache has joined repeated lines with commas, which no token and no proof has.
  local headers = { ['X-Original-Method'] = r.method, ['X-Original-URI'] = r.unparsed_uri }
  for _, name in ipairs(PASSED_ON) do headers[name] = r.headers_in[name] end
  local done, status, answered = http.request{ url = ADDRESS, headers = headers, redirect = false }
  if not done then
    r.err_headers_out['Retry-After'] = '1'
    return 503
  end
  for _, name in ipairs(SET) do r.headers_in[name] = answered[name:lower()] or '' end
  if status == 200 then return apache2.OK end
  if status ~= 401 and status ~= 403 then return 503 end
  r.err_headers_out['WWW-Authenticate'] = answered['www-authenticate'] or 'Bearer'
  return status
end
