-- Asks mintmark-verify about a request, in the access phase of Kong's pre-function. An error in here is a 500 of Kong, and nothing passes.
local http = require 'resty.http'

local ADDRESS = 'http://127.0.0.1:8790/check?scope=db:read'
local SET = { 'Subject', 'Client', 'Scope', 'Actor' }

-- Whatever a caller wrote there itself is gone, in each spelling that a framework may read: Kong passes names with `_` on. By name, because
-- a list of all headers ends at the thousandth.
for _, name in ipairs(SET) do
  for _, spelled in ipairs { 'X-Auth-', 'X_Auth-', 'X-Auth_', 'X_Auth_' } do
    kong.service.request.clear_header(spelled .. name)
  end
end

local sent = kong.request.get_headers()
local client = http.new()
client:set_timeout(5000)
local answer = client:request_uri(ADDRESS, {
  headers = {
    ['Authorization'] = sent['authorization'],
    ['DPoP'] = sent['dpop'],
    ['X-Original-Method'] = kong.request.get_method(),
    ['X-Original-URI'] = kong.request.get_path_with_query(),
  },
})

if answer and answer.status == 200 then
  for _, name in ipairs(SET) do
    kong.service.request.set_header('X-Auth-' .. name, answer.headers['X-Auth-' .. name] or '')
  end
elseif answer and (answer.status == 401 or answer.status == 403) then
  return kong.response.exit(answer.status, nil, { ['WWW-Authenticate'] = answer.headers['WWW-Authenticate'] })
else
  return kong.response.exit(503, nil, { ['Retry-After'] = '1' })
end
