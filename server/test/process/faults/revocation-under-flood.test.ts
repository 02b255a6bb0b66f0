// A client ends its own token, with its credentials in the body, beside floods of token requests and of revocations.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { introspect, issue } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const TOKEN_REQUESTS = 900
const WRONG_REVOCATIONS = 300
/** Of the token requests that were sent before the revocation: so many are answered after it, or it waited behind them. */
const BEHIND = TOKEN_REQUESTS / 3

const OWN = '127.0.0.1'
const STRANGER = '127.0.0.2'

type Fields = Readonly<Record<string, string>>

const post = (path: string, fields: Fields): string => {
  const body = new URLSearchParams(fields).toString()
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`
  return `${head}Content-Type: application/x-www-form-urlencoded\r\n\r\n${body}`
}

const statusOf = async (socket: Socket): Promise<string> => {
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return answer.toString().slice(9, 12)
}

/** A connection that the service has accepted. */
const open = async (t: TestContext, { baseUrl }: TestServer, localAddress: string): Promise<Socket> => {
  const socket = connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1', localAddress })
  t.after(() => socket.destroy())
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.equal(await statusOf(socket), '200')
  return socket
}

const openMany = async (
  t: TestContext,
  service: TestServer,
  { count, from }: { readonly count: number; readonly from: string },
): Promise<readonly Socket[]> => {
  const sockets: Socket[] = []
  for (let n = 0; n < count; n += 1) sockets.push(await open(t, service, from))
  return sockets
}

test('a client that ends its own token does not wait behind the token requests of its network, nor behind revocations of others', async t => {
  const service = await startServer()
  t.after(() => service.close())
  const agent = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  const token = await issue(service, agent)
  const credentials = { client_id: agent.clientId, client_secret: agent.clientSecret }
  const wrong = { ...credentials, client_secret: 'wrong' }

  const issuing = await openMany(t, service, { count: TOKEN_REQUESTS, from: OWN })
  const revoking = await openMany(t, service, { count: WRONG_REVOCATIONS, from: STRANGER })
  const honest = await open(t, service, OWN)

  const answered: string[] = []
  const note = async (socket: Socket, who: string): Promise<string> => {
    const status = await statusOf(socket)
    answered.push(`${who} ${status}`)
    return status
  }
  const strangers = revoking.map(async socket => note(socket, 'stranger'))
  const tokens = issuing.map(async socket => note(socket, 'token'))
  const own = note(honest, 'own')
  for (const socket of revoking) socket.write(post('/oauth/revoke', { token, ...wrong }))
  for (const socket of issuing) socket.write(post('/oauth/token', { grant_type: 'client_credentials', ...credentials }))
  honest.write(post('/oauth/revoke', { token, ...credentials }))

  assert.equal(await own, '200')
  assert.equal((await introspect(service, key, token)).text, '{"active":false}')
  for (const status of new Set(await Promise.all(strangers))) assert.match(status, /^(401|503)$/)
  for (const status of new Set(await Promise.all(tokens))) assert.match(status, /^(200|503)$/)
  const later = answered.slice(answered.indexOf('own 200')).filter(one => one === 'token 200').length
  assert.ok(later >= BEHIND, `${later} of ${TOKEN_REQUESTS} token requests were answered after it`)
})
