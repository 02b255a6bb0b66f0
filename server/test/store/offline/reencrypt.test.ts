// A change of the key-encryption key: all that is sealed is taken over or nothing is, and old seals still prove the log.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { PublicJwk, SealedSigningKey } from '../../../src/domain/keys/signing-key.ts'
import { auditSealKey, keyEncryptionKeyId } from '../../../src/keys/at-rest/sealed-bytes.ts'
import { makeReencryption, openFormerSealKey } from '../../../src/keys/at-rest/reencryption.ts'
import { makeSigningKey, openSigningKey } from '../../../src/keys/tokens/signing-keys.ts'
import { StoreProblem } from '../../../src/store/store-problem.ts'
import { isSealDue, sealStep } from '../../../src/store/audit/seals.ts'
import {
  act,
  createAgent,
  isPostgresTested,
  KEEP_LONG,
  makeTestStore,
  openTestedStore,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { reencryptTested, untilLeft, verifyTested } from '../../../../testkit/stores/store-alone.ts'
import {
  countRows,
  inTransaction,
  readRow,
  readRows,
  withFile,
  withWritingConnection,
} from '../../../../testkit/stores/store-file.ts'

const [FIRST, SECOND, THIRD] = [1, 2, 3].map(byte => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const ACT = act('signing_key.reencrypt')
const UNKNOWN = { number: null, head: null }

/** A closed store under the first key: a current, a next and a retained signing key, and an audit log in two seals. */
const makeWorld = async (t: TestContext): Promise<TestStore> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  const { signingKeys } = world.store
  withFile(world.file, db => db.exec('delete from signing_key'))
  await signingKeys.createFirst(makeSigningKey(FIRST), act('signing_key.create'))
  for (const alg of ['ES256', 'EdDSA'] as const) {
    await signingKeys.createNext(makeSigningKey(FIRST, alg), act('signing_key.create'))
    if (alg === 'ES256') await signingKeys.rotate({ candidate: null, force: true }, act('signing_key.rotate'))
  }
  sealLog(world, FIRST)
  await createAgent(world.store)
  sealLog(world, FIRST)
  await createAgent(world.store)
  await world.store.close()
  await untilLeft(world.file)
  return world
}

/** As the maintenance of a service under this key does. */
const sealLog = (world: TestStore, keyEncryptionKey: Uint8Array): void => {
  const key = { bytes: auditSealKey(keyEncryptionKey), keyEncryptionKeyId: keyEncryptionKeyId(keyEncryptionKey) }
  withWritingConnection(world, connection => {
    assert.ok(inTransaction(connection, () => isSealDue(key)))
    inTransaction(connection, tx => sealStep(tx, key.bytes))
  })
}

const verdictUnder = (file: string, keyEncryptionKey: Uint8Array) =>
  verifyTested(file, {
    key: auditSealKey(keyEncryptionKey),
    openFormer: (sealed, lastSeal) => openFormerSealKey(keyEncryptionKey, sealed, lastSeal),
    known: UNKNOWN,
  })

const reencrypt = (file: string, from: Uint8Array, to: Uint8Array) =>
  reencryptTested(file, makeReencryption(from, to), ACT)

const problem = (pattern: RegExp) => (fault: unknown) => fault instanceof StoreProblem && pattern.test(fault.message)

const content = (file: string): unknown => [
  readRows(file, 'select * from signing_key order by n'),
  readRows(file, 'select * from seal_key'),
  countRows(file, 'audit'),
]

/** Those that have a private half. */
const sealedKeys = (file: string): readonly SealedSigningKey[] =>
  readRows(file, `select * from signing_key where state in ('current', 'next') order by n`).map(row => ({
    publicJwk: JSON.parse(String(row['public_jwk'])) as PublicJwk,
    thumbprint: String(row['thumbprint']),
    sealedPrivateKey: row['sealed_private_key'] as Buffer,
    keyEncryptionKeyId: String(row['key_encryption_key_id']),
  }))

test('after a re-encryption the new key opens every signing key, and the former one none', async t => {
  const { file } = await makeWorld(t)
  const published = () => readRows(file, 'select kid, public_jwk, state from signing_key order by n')
  const before = published()
  assert.equal(await reencrypt(file, FIRST, SECOND), 'done')
  assert.deepEqual(published(), before)
  const sealed = sealedKeys(file)
  assert.equal(sealed.length, 2)
  for (const key of sealed) {
    openSigningKey(SECOND, key)
    assert.throws(() => openSigningKey(FIRST, key), /is sealed under the key-encryption key/)
  }
  const ids = readRows(file, 'select distinct key_encryption_key_id as id from signing_key')
  assert.deepEqual(ids, [{ id: keyEncryptionKeyId(SECOND) }])
})

test('the audit log stays provable over several re-encryptions, and goes on under each new key', async t => {
  const world = await makeWorld(t)
  const { file } = world
  await reencrypt(file, FIRST, SECOND)
  sealLog(world, SECOND)
  assert.equal((await verdictUnder(file, SECOND)).good, true)
  assert.equal((await verdictUnder(file, FIRST)).good, false)
  await reencrypt(file, SECOND, THIRD)
  // Twice with no seal in between.
  await reencrypt(file, THIRD, FIRST)
  await reencrypt(file, FIRST, THIRD)
  sealLog(world, THIRD)
  const verdict = await verdictUnder(file, THIRD)
  assert.ok(verdict.good)
  assert.deepEqual([verdict.seals, verdict.unsealed], [4, 0])
  assert.deepEqual(readRows(file, 'select last_n from seal_key'), [{ last_n: 2 }, { last_n: 3 }])
})

/** Puts as many zeros where bytes are. */
const blank = (file: string, { table, column, where }: { table: string; column: string; where: string }): void => {
  const { bytes } = readRow(file, `select ${column} as bytes from ${table} where ${where}`)
  const zeros = Buffer.alloc((bytes as Buffer).length)
  withFile(file, db => db.prepare(`update ${table} set ${column} = ? where ${where}`).run(zeros))
}

const changeBy = (statement: string) => (file: string) => withFile(file, db => db.exec(statement))

for (const [name, tamper] of Object.entries({
  'an entry of before': changeBy(`update audit set note = 'forged' where n = 2`),
  'a seal of before': changeBy(`update seal set at = at + 1 where n = 1`),
  'the kept key': (file: string) => blank(file, { table: 'seal_key', column: 'sealed_key', where: 'last_n = 2' }),
  'how far the kept key reaches': changeBy(`update seal_key set last_n = last_n - 1`),
  'the kept key, which is gone': changeBy('delete from seal_key'),
})) {
  test(`a change of ${name} is found under the new key`, async t => {
    const world = await makeWorld(t)
    await reencrypt(world.file, FIRST, SECOND)
    sealLog(world, SECOND)
    assert.equal((await verdictUnder(world.file, SECOND)).good, true)
    tamper(world.file)
    assert.equal((await verdictUnder(world.file, SECOND)).good, false)
  })
}

test('who has the former key and the store cannot forge what the first seal under the new one covers', async t => {
  const world = await makeWorld(t)
  await reencrypt(world.file, FIRST, SECOND)
  sealLog(world, SECOND)
  const spans = readRows(world.file, 'select last_n as last from seal where n <= 2 order by n')
  const { file } = world
  const exec = (statements: string): void => withFile(file, db => db.exec(statements))
  const setBack = isPostgresTested()
    ? `update given set n = 0 where what = 'seal'`
    : `update sqlite_sequence set seq = 0 where name = 'seal'`
  exec(`update audit set note = 'forged' where n = 2; create table whole as select * from audit;
    create table kept as select * from seal where n > 2; delete from seal; ${setBack}`)
  withWritingConnection(world, connection => {
    // The same seals over the same entries, under the former key.
    for (const { last } of spans) {
      exec(`delete from audit where n > ${String(last)}`)
      inTransaction(connection, tx => sealStep(tx, auditSealKey(FIRST)))
      exec(`insert into audit select * from whole where n > ${String(last)}`)
    }
  })
  exec('insert into seal select * from kept')
  assert.equal(countRows(world.file, 'seal'), 3)
  assert.equal((await verdictUnder(world.file, SECOND)).good, false)
})

test('a second run finds that all is done, and a wrong former key changes nothing', async t => {
  const { file } = await makeWorld(t)
  const before = content(file)
  await assert.rejects(
    reencrypt(file, THIRD, SECOND),
    problem(/is sealed under the key-encryption key [0-9a-f]{16}, but/),
  )
  assert.deepEqual(content(file), before)
  assert.equal(await reencrypt(file, FIRST, SECOND), 'done')
  const after = content(file)
  assert.equal(await reencrypt(file, FIRST, SECOND), 'done_before')
  assert.deepEqual(content(file), after)
})

test('a signing key that was changed in the store stops all of it, and nothing has changed', async t => {
  const { file } = await makeWorld(t)
  blank(file, { table: 'signing_key', column: 'sealed_private_key', where: `state = 'next'` })
  const before = content(file)
  await assert.rejects(reencrypt(file, FIRST, SECOND), problem(/was changed in the store since it was sealed/))
  assert.deepEqual(content(file), before)
})

test('a fault in the middle, as a crash there, leaves every key as it was', async t => {
  const { file } = await makeWorld(t)
  const before = content(file)
  const whole = makeReencryption(FIRST, SECOND)
  let calls = 0
  const broken = {
    ...whole,
    sealKey: (): Uint8Array => {
      calls += 1
      throw new Error('The power went.')
    },
  }
  await assert.rejects(reencryptTested(file, broken, ACT), /The power went/)
  assert.equal(calls, 1)
  assert.deepEqual(content(file), before)
  assert.equal(await reencrypt(file, FIRST, SECOND), 'done')
})

test('an imported secret that is live stops all of it, since no other key can check it', async t => {
  const { file } = await makeWorld(t)
  const put = (values: string): void => {
    withFile(file, db => db.exec(`update credential set ${values} where n = 1`))
  }
  put('imported = 1')
  const before = content(file)
  await assert.rejects(
    reencrypt(file, FIRST, SECOND),
    problem(/^The store has imported secrets \(1, the first of agent [0-9a-f-]{36}\) that/),
  )
  assert.deepEqual(content(file), before)
  // One that waits for its first use has the hash of the other server, which is under no key.
  put(`foreign_hash = '$2b$…'`)
  assert.equal(await reencrypt(file, FIRST, SECOND), 'done')
  put('foreign_hash = null, revoked_at = 1')
  assert.equal(await reencrypt(file, SECOND, THIRD), 'done')
})

test('while a service runs on the store it is refused in one line', async t => {
  const world = await makeWorld(t)
  const { file, clock } = world
  const service = await openTestedStore({ file, retention: KEEP_LONG, clock })
  t.after(service.close)
  await assert.rejects(
    reencrypt(file, FIRST, SECOND),
    problem(/(in use by a mintmark that runs|Mintmark uses the database): stop (that one first|it)/),
  )
})

test('one entry of the audit says so, with both ids and neither key', async t => {
  const { file } = await makeWorld(t)
  await reencrypt(file, FIRST, SECOND)
  const [row, ...others] = readRows(file, `select subject, detail from audit where kind = 'signing_key.reencrypt'`)
  assert.deepEqual([row?.['subject'], others.length], [null, 0])
  const { seq, ...detail } = JSON.parse(String(row?.['detail'])) as Record<string, unknown>
  assert.equal(typeof seq, 'number')
  const id = (key: Uint8Array) => ({ key_encryption_key_id: keyEncryptionKeyId(key) })
  assert.deepEqual(detail, { signing_keys: 2, before: id(FIRST), after: id(SECOND) })
})
