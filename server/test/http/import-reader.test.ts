// The thread on which a document is read: what comes of its limits, and that they end nothing but an import.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IMPORT_BYTES_MAX } from '../../../api/values/bounds.ts'
import { isRefused } from '../../src/domain/refusal.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { readImport, READ_HERE_BYTES_MAX, type ReadingLimits } from '../../src/http/imports/import-reader.ts'
import { keycloakClient } from '../../../testkit/callers/foreign-exports.ts'

const LIMITS: ReadingLimits = {
  timing: { ...TIMING, importReadingMs: 60_000 },
  memory: { maxOldGenerationSizeMb: 176 },
}

const bodyOf = (bytes: number, clients: readonly object[] = []): Buffer => {
  const text = JSON.stringify({ source: 'keycloak', document: { padding: '', clients } })
  return Buffer.from(text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`))
}

/** What is read, once the memory that it took is free. */
const read = async (body: Buffer, limits = LIMITS) => {
  const ended = Promise.withResolvers<null>()
  const answer = await readImport(body, () => ended.resolve(null), limits)
  await ended.promise
  return answer
}

test('a document is planned alike, however long it is and on whichever thread', async () => {
  const clients = [keycloakClient('a'), keycloakClient('b', { publicClient: true })]
  const short = await read(bodyOf(READ_HERE_BYTES_MAX, clients))
  assert.ok(!isRefused(short))
  assert.deepEqual(
    short.clients.map(one => ('reason' in one ? one.reason : one.plan.clientId)),
    ['a', 'public_client'],
  )
  for (const bytes of [READ_HERE_BYTES_MAX + 1, IMPORT_BYTES_MAX]) {
    assert.deepEqual(await read(bodyOf(bytes, clients)), short)
  }
})

test('a part of a buffer that others share is read too, and leaves them whole', async () => {
  const body = bodyOf(READ_HERE_BYTES_MAX + 1)
  const shared = Buffer.concat([Buffer.from('before'), body, Buffer.from('after')])
  const answer = await read(shared.subarray(6, 6 + body.length))
  assert.ok(!isRefused(answer))
  assert.equal(shared.subarray(0, 6).toString(), 'before')
})

test('a document that takes more memory than there is for it is refused as too large', async () => {
  const values = Array.from({ length: 60_000 }, (_, n) => ({ [`member ${n}`]: `${n}` }))
  const body = Buffer.from(JSON.stringify({ source: 'keycloak', document: { values, clients: [] } }))
  const description = 'The document takes more memory than there is for an import: import it in parts.'
  assert.deepEqual(await read(body, { ...LIMITS, memory: { maxOldGenerationSizeMb: 8 } }), {
    refusal: { code: 'request_too_large', description },
  })
})

test('a document that is not read in time is refused for now', async () => {
  const description = 'The document was not read in time: import it in parts, or try again.'
  assert.deepEqual(await read(bodyOf(IMPORT_BYTES_MAX), { ...LIMITS, timing: { ...TIMING, importReadingMs: 0 } }), {
    refusal: { code: 'temporarily_unavailable', description },
  })
})
