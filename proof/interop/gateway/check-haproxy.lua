-- Asks mintmark-verify about a request, as `http-request lua.check ADDRESS`. Where anything fails no status is set, and nothing passes.
local PASSED_ON = { 'authorization', 'dpop' }
local SET = { 'X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope', 'X-Auth-Actor' }

-- Lines of a header, which HAProxy counts from 0.
local function lines(values)
  local found = {}
  for n = 0, #values do found[#found + 1] = values[n] end
  return found
end

local function first(headers, name)
  local values = headers[name:lower()]
  return values and values[0] or ''
end

core.register_action('check', { 'http-req' }, function(txn, address)
  local sent = txn.http:req_get_headers()
  local headers = {
    ['x-original-method'] = { txn.f:method() },
    ['x-original-uri'] = { txn.f:pathq() },
  }
  for _, name in ipairs(PASSED_ON) do
    if sent[name] then headers[name] = lines(sent[name]) end
  end
  local answer = core.httpclient():get{ url = address, headers = headers, timeout = 5000 }
  for _, name in ipairs(SET) do
    txn.http:req_set_header(name, first(answer.headers, name))
  end
  txn:set_var('txn.challenge', first(answer.headers, 'WWW-Authenticate'))
  txn:set_var('txn.check', answer.status)
end, 1)
