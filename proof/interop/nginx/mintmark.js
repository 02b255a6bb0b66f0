// Asks Mintmark about the caller's token, for nginx's auth_request: a revoked token is refused at once.
const check = async request => {
  const bearer = /^Bearer ([\w.-]+)$/i.exec(request.headersIn.Authorization || '')
  if (bearer === null) return refuse(request, '')
  const reply = await request.subrequest('/_introspection', { method: 'POST', body: `token=${bearer[1]}` })
  if (reply.status !== 200) return request.return(500)
  const body = JSON.parse(reply.responseText)
  const wanted = request.variables
  if (!body.active || ![].concat(body.aud).includes(wanted.resource)) return refuse(request, ', error="invalid_token"')
  if (!body.scope.split(' ').includes(wanted.scope)) return request.return(403)
  request.return(204)
}

const refuse = (request, error) => {
  request.headersOut['WWW-Authenticate'] = `Bearer realm="api"${error}`
  request.return(401)
}

export default { check }
