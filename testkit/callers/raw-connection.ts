// Connections on which a test writes bytes itself, plain or by TLS as the service speaks.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectSecurely } from 'node:tls'
import { CERTIFICATE, PRIVATE_KEY } from '../keys/loopback-certificate.ts'
import type { TestServer } from '../services/test-server.ts'

/** The options of a service that speaks TLS. */
export const TLS = { https: { cert: CERTIFICATE, key: PRIVATE_KEY } } as const

/** A TCP connection; of a service that speaks TLS without the handshake. */
export const openTcp = async ({ baseUrl }: Pick<TestServer, 'baseUrl'>): Promise<Socket> => {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  // A connection that the service resets ends like any other.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** A connection on which requests may be written. */
export const openConnection = async (service: Pick<TestServer, 'baseUrl'>): Promise<Socket> => {
  const socket = await openTcp(service)
  if (!service.baseUrl.startsWith('https:')) return socket
  const secure = connectSecurely({ socket, ca: CERTIFICATE })
  secure.on('error', () => undefined)
  await once(secure, 'secureConnect')
  return secure
}

/** All that comes until the connection has ended, or was reset. */
export const readToEnd = (socket: Socket): Promise<string> => text(socket).catch(() => '')

/** A GET in the fewest lines. */
export const getOf = ({ baseUrl }: Pick<TestServer, 'baseUrl'>, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(baseUrl).host}\r\n\r\n`

/** Writes these requests in one turn of the event loop, each to a connection of its own, and reads each answer. */
export const writeTogether = async (service: TestServer, requests: readonly string[]): Promise<readonly string[]> => {
  const opened = await Promise.all(
    requests.map(async request => {
      const socket = await openConnection(service)
      // Once it is answered, the service has accepted the connection.
      socket.write(getOf(service, '/livez'))
      await once(socket, 'data')
      return { socket, request }
    }),
  )
  const answers = opened.map(({ socket }) => readToEnd(socket))
  for (const { socket, request } of opened) socket.write(request)
  return Promise.all(answers)
}

/** The status of each answer. */
export const statusesIn = (answers: string): readonly number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
