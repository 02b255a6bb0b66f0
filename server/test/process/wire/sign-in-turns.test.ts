// Sign-ins under way at an identity provider that hangs: strangers of one network leave room to operators of another.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import type { Source } from '../../../src/domain/source.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { makeSignIn } from '../../../src/keys/providers/sign-in.ts'

const OF_ONE_MAX = 5
const MAX = 20
const BUSY = 'too many operators sign in at once'
const UNANSWERED = 'the metadata of the identity provider cannot be read'

test('a network that begins as many sign-ins as it may leaves room for others, and gets it back', async t => {
  const sockets: Socket[] = []
  const provider = createServer(socket => void sockets.push(socket))
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    provider.close()
  })
  const { port } = provider.address() as AddressInfo // it listens on a port
  const signIn = makeSignIn({
    timing: { ...TIMING, signInAnswerMs: 200 },
    client: {
      issuer: `http://127.0.0.1:${port}`,
      clientId: 'console',
      clientSecret: null,
      scope: 'openid',
      parameters: {},
    },
    callback: 'https://issuer.example/console/callback',
    keyEncryptionKey: new Uint8Array(32),
    now: () => 0,
  })
  const start = (source: Source): Promise<string> =>
    signIn.begin('/console/', source).then(
      () => 'begun',
      fault => (fault as Error).message,
    )
  const greedy = Array.from({ length: MAX }, () => start('192.0.2.1'))
  const honest = start('192.0.2.2')
  const others = Array.from({ length: MAX }, (_, n) => start(`198.51.100.${n}`))
  const outcomes = await Promise.all(greedy)
  assert.equal(outcomes.filter(one => one === UNANSWERED).length, OF_ONE_MAX)
  assert.equal(outcomes.filter(one => one === BUSY).length, MAX - OF_ONE_MAX)
  assert.equal(await honest, UNANSWERED)
  const later = await Promise.all(others)
  assert.equal(later.filter(one => one === UNANSWERED).length, MAX - OF_ONE_MAX - 1)
  assert.equal(await start('192.0.2.1'), UNANSWERED)
})
