// Whom a connection to PostgreSQL over TLS trusts: a server that only greets stands in for the database.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { TIMING } from '../../../src/ports/timing.ts'
import type { DatabaseAddress } from '../../../src/store/postgres/connection/address.ts'
import { connect } from '../../../src/store/postgres/connection/connection.ts'
import { CERTIFICATE, PRIVATE_KEY } from '../../../../testkit/keys/loopback-certificate.ts'

// https://www.postgresql.org/docs/18/protocol-message-formats.html
const SSL_GRANTED = 'S'
const REFUSED = 'SFATAL\0C28000\0Mwho is there does not matter\0\0'

const refusal = (): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(REFUSED.length + 4)
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(REFUSED)])
}

let greeted = 0

/** Grants TLS, and refuses the caller once it has said who it is: by then it has trusted the server. */
const greet = (socket: Socket): void => {
  socket.on('error', () => undefined)
  socket.once('data', () => {
    socket.write(SSL_GRANTED)
    const secured = new TLSSocket(socket, { isServer: true, cert: CERTIFICATE, key: PRIVATE_KEY })
    secured.on('error', () => undefined)
    secured.once('data', () => {
      greeted += 1
      secured.end(refusal())
    })
  })
}

const server = createServer(greet)
const portOf = (): number => (server.address() as AddressInfo).port

before(() => once(server.listen(0), 'listening'))
after(() => void server.close())

const ADDRESS: DatabaseAddress = {
  hosts: [],
  database: 'mintmark',
  user: 'mintmark',
  password: null,
  tls: { ca: CERTIFICATE },
  allowed: [],
  pooling: 'session',
  fencedReads: 'auto',
}

const tryHost = async (host: string, address = ADDRESS): Promise<string> => {
  greeted = 0
  const fault: unknown = await connect({ address, timing: TIMING }, { host, port: portOf() }).catch(
    (reason: unknown) => reason,
  )
  assert.ok(fault instanceof Error, 'A server that refuses everybody was taken.')
  return fault.message
}

test('a database is trusted whose certificate names the host, be it a name or an address', async () => {
  for (const host of ['localhost', '127.0.0.1']) {
    assert.match(await tryHost(host), /who is there does not matter/)
    assert.equal(greeted, 1)
  }
})

test('a database whose certificate names another host gets nothing', async () => {
  // The certificate names localhost and 127.0.0.1.
  assert.match(await tryHost('127.0.0.2'), /127\.0\.0\.2/)
  assert.equal(greeted, 0)
})

test('a database whose certificate no trusted authority signed gets nothing', async () => {
  assert.match(await tryHost('localhost', { ...ADDRESS, tls: { ca: null } }), /self-signed certificate/)
  assert.equal(greeted, 0)
})
