// Introspection for known callers beside strangers: what the store reads for wrong API keys keeps no known caller waiting.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { introspect, issue } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

/** More than a thread starts in one turn. */
const STRANGERS = 300
/** A caller who waits where nobody should must turn the test red, not leave it waiting. */
const WAITING = { timeout: 30_000 }

const isAlive = async (socket: Socket): Promise<Socket> => {
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  return socket
}

/** Connections that the service has accepted. */
const connectMany = ({ baseUrl }: TestServer, count: number): Promise<readonly Socket[]> =>
  Promise.all(Array.from({ length: count }, () => isAlive(connect(Number(new URL(baseUrl).port), '127.0.0.1'))))

const introspection = (key: string, token: string): string => {
  const body = `token=${token}`
  const head = `POST /oauth/introspect/v2 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: ${body.length}\r\n`
  return `${head}Content-Type: application/x-www-form-urlencoded\r\n\r\n${body}`
}

test(
  'under load a known caller is answered while the API keys of strangers, which arrived with it, are being read',
  WAITING,
  async t => {
    let [knownKey, knownHash] = ['', '']
    let strangersRead = Promise.withResolvers<void>()
    strangersRead.resolve()
    const service = await startServer({
      break: ({ apiKeys, ...ports }) => ({
        ...ports,
        apiKeys: {
          ...apiKeys,
          find: async (keyHashes, meanwhile) => {
            if (knownHash === '') knownHash = ports.secrets.hash(knownKey)
            const isOfStrangers = keyHashes.some(hash => hash !== knownHash)
            const found = await apiKeys.find(keyHashes, meanwhile)
            if (isOfStrangers) await strangersRead.promise
            return found
          },
        },
      }),
    })
    const agent = await service.createAgent()
    const { key } = await service.createApiKey('tokens:introspect')
    knownKey = key
    const token = await issue(service, agent)
    assert.match((await introspect(service, key, token)).text, /^\{"active":true,/)
    const [honest, ...strangers] = await connectMany(service, STRANGERS + 1)
    t.after(async () => {
      strangersRead.resolve()
      for (const socket of [honest, ...strangers]) socket?.destroy()
      await service.close()
    })
    assert.ok(honest !== undefined)
    strangersRead = Promise.withResolvers<void>()
    strangers.forEach((socket, n) => socket.write(introspection(`mma_${n}`, token)))
    honest.write(introspection(key, token))
    const [answer] = (await once(honest, 'data')) as [Buffer]
    assert.match(answer.toString(), /^HTTP\/1\.1 200 [\s\S]*"active":true,/)
  },
)
