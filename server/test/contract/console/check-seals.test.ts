// GET /api/v1/audit/seals, over HTTP: parts that follow each other, and a record that was changed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditSealKey } from '../../../src/keys/at-rest/sealed-bytes.ts'
import { sealStep } from '../../../src/store/audit/seals.ts'
import { get } from '../../../../testkit/callers/requests.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { KEY_ENCRYPTION_KEY } from '../../../../testkit/services/test-server.ts'
import { inTransaction, readNumber, withFile, withWritingConnection } from '../../../../testkit/stores/store-file.ts'

/** The service seals once, as it starts. */
const service = useService({ timing: { sealPauseMs: 600_000 } })
const reader = service.apiKey('audit:read')

const ask = (query = '') => get(service, `/api/v1/audit/seals${query}`, { 'x-api-key': reader.key })

const check = async (query = ''): Promise<unknown> => {
  const answer = await ask(query)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const lastEntry = (): number => readNumber(service.storeFile, 'select max(n) from audit')

/** Seals what is not sealed yet, as the service does a moment later. */
const seal = (): void =>
  withWritingConnection({ file: service.storeFile, clock: service.clock.wall() }, connection => {
    inTransaction(connection, tx => sealStep(tx, auditSealKey(KEY_ENCRYPTION_KEY)))
  })

const unseal = async (): Promise<void> => {
  await until('the first seal', async () => readNumber(service.storeFile, 'select count(*) from seal') > 0)
  withFile(service.storeFile, db => db.exec("delete from seal; delete from sqlite_sequence where name = 'seal'"))
}

test('the log is good up to its last seal, part by part, and a changed record is named', async () => {
  await unseal()
  const first = { state: 'good', seal: 0, entry: 0, sealed_up_to: 0, unsealed: lastEntry(), broken: null }
  assert.deepEqual(await check(), first)
  seal()
  const end = lastEntry()
  const more = { state: 'more', seal: 1, entry: end, sealed_up_to: end, unsealed: null, broken: null }
  assert.deepEqual(await check(), more)
  assert.deepEqual(await check('?after_seal=1'), { ...more, state: 'good', unsealed: 0 })
  await service.createAgent()
  assert.deepEqual(await check('?after_seal=1'), { ...more, state: 'good', unsealed: 1 })
  withFile(service.storeFile, db => db.prepare("update audit set note = 'not so' where n = ?").run(end))
  const broken = {
    entry: end,
    tampering: 'changed',
    because: 'What stands under its number is not what was sealed: it was changed, or another entry was moved there.',
  }
  assert.deepEqual(await check(), { ...more, state: 'broken', seal: null, entry: null, broken })
})

test('a seal that was never made, and what is no number, is refused', async () => {
  for (const given of ['99999', '-1', '01', '1e3', '', '1'.repeat(16)]) {
    const { status, json } = await ask(`?after_seal=${given}`)
    assert.deepEqual([status, (json as { readonly error: string }).error], [400, 'invalid_request'], given)
  }
})
