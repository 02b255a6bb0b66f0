// The audit log as it is read: each filter gives what looking at every entry gives, and each page seeks its place.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Act, Actor } from '../../../src/domain/audit/act.ts'
import type { ActKind } from '../../../../api/values/audit.ts'
import { type AuditEntry, type AuditFilters, isAskedFor } from '../../../src/domain/audit/audit.ts'
import { PAGE_EXAMINED_MAX, type Position } from '../../../src/domain/lists/page.ts'
import { audit } from '../../../src/store/transaction.ts'
import {
  isPostgresTested,
  makeTestStore,
  START,
  testEmbedded,
  type TestStore,
} from '../../../../testkit/stores/store.ts'
import { inTransaction, withFile, withWritingConnection } from '../../../../testkit/stores/store-file.ts'
import { AUDIT_READS, NO_AUDIT_FILTERS, statementsOfRead } from './audit-statements.ts'
import { planOf } from './list-plans.ts'

const KINDS: readonly ActKind[] = ['agent.create', 'agent.disable', 'token.revoke']
const ACTORS: readonly Actor[] = [
  { type: 'operator', iss: 'https://idp.example', sub: 'ada' },
  { type: 'operator', iss: 'https://idp.example', sub: 'bob' },
  { type: 'operator', iss: 'https://other.example', sub: 'ada' },
  { type: 'api_key', id: 'one' },
  { type: 'cli', id: 'one' },
  { type: 'system' },
]
const MINUTE_MS = 60_000
const LIMITS = isPostgresTested() ? [7, 1000] : [1, 13, 1000]

let world: TestStore
let entries: readonly AuditEntry[]

const actOf = (n: number): Act => ({
  kind: KINDS[n % KINDS.length] ?? 'agent.create',
  actor: ACTORS[n % ACTORS.length] ?? { type: 'system' },
  note: n % 5 === 0 ? `note ${n}` : null,
  requestId: n % 4 === 0 ? null : `request-${n % 7}`,
  source: n % 2 === 0 ? '192.0.2.1' : null,
})

/** Several entries a millisecond, over some minutes. */
const write = (count: number): void =>
  withWritingConnection(world, connection =>
    inTransaction(connection, function* (tx) {
      for (let n = 0; n < count; n += 1) {
        yield* audit(tx, actOf(n), n % 3 === 0 ? null : `subject-${n % 11}`, { n })
      }
    }),
  )

/** Entries that nobody asks for by name. */
const writeAtOnce = (count: number): void =>
  withFile(
    world.file,
    db =>
      void db
        .prepare(
          `insert into audit (at, kind, actor, detail)
           with recursive c(n) as (select 1 union all select n + 1 from c where n < ?)
           select ?, 'agent.create', '{"type":"system"}', '{}' from c`,
        )
        .run(count, world.clock.wall()),
  )

before(async () => {
  world = await makeTestStore(null)
  withFile(world.file, db => db.exec('delete from audit'))
  for (let turn = 0; turn < 40; turn += 1) {
    world.clock.advance(turn % 4 === 0 ? MINUTE_MS : 1)
    write(turn % 3 === 0 ? 20 : 7)
  }
  const page = await world.store.audit.list({ filters: NO_AUDIT_FILTERS, audiences: null, after: null, limit: 10_000 })
  assert.equal(page.next, null)
  entries = page.records
})

after(() => world.dispose())

const scan = async (filters: AuditFilters, limit: number): Promise<readonly AuditEntry[]> => {
  const found: AuditEntry[] = []
  let position: Position | null = null
  do {
    const page = await world.store.audit.list({ filters, audiences: null, after: position, limit })
    assert.notDeepEqual(page.next, position ?? {}, 'a page must lead on')
    assert.ok(page.records.length <= limit && page.examined <= PAGE_EXAMINED_MAX)
    found.push(...page.records)
    position = page.next
  } while (position !== null)
  return found
}

test('the log is listed whole, newest first, each entry as its act was', () => {
  const newest = entries[0]?.number ?? 0
  assert.deepEqual(
    entries.map(({ number }) => number),
    entries.map((_, n) => newest - n),
  )
  assert.deepEqual(entries[0], {
    number: newest,
    at: world.clock.wall(),
    kind: 'agent.disable',
    actor: { type: 'operator', iss: 'https://idp.example', sub: 'bob' },
    source: null,
    requestId: 'request-5',
    subject: 'subject-8',
    note: null,
    detail: { n: 19 },
    agentId: 'subject-8',
  })
})

const SOME: readonly Partial<AuditFilters>[] = [
  {},
  { kind: 'agent.disable' },
  { kind: 'agent.nothing' },
  { actorType: 'system' },
  { actorType: 'operator' },
  { actorType: 'api_key', actorId: 'one' },
  { actorId: 'one' },
  { actorIss: 'https://idp.example', actorSub: 'ada' },
  { actorSub: 'ada' },
  { actorType: 'cli', actorIss: 'https://idp.example', actorSub: 'ada' },
  { subject: 'subject-4' },
  { requestId: 'request-3' },
  { requestId: 'request-3', subject: 'subject-4', kind: 'token.revoke' },
  { subject: 'subject-5', actorType: 'operator' },
]

for (const asked of SOME) {
  test(`${JSON.stringify(asked)} gives what looking at every entry gives, in pages of any size and any time`, async () => {
    const [from, to] = [START + 3 * MINUTE_MS, START + 7 * MINUTE_MS]
    for (const times of [{}, { since: from }, { before: to }, { since: from, before: to }]) {
      const filters = { ...NO_AUDIT_FILTERS, ...asked, ...times }
      const { since, before: end } = filters
      const wanted = entries.filter(
        entry =>
          isAskedFor(entry, filters) && (since === null || entry.at >= since) && (end === null || entry.at < end),
      )
      for (const limit of LIMITS) assert.deepEqual(await scan(filters, limit), wanted)
    }
  })
}

test('a page looks at 10,000 entries at most, and one that found too few has a successor', async () => {
  for (let written = 0; written < PAGE_EXAMINED_MAX; written += 1000) writeAtOnce(1000)
  const filters = { ...NO_AUDIT_FILTERS, actorId: 'nobody' }
  const page = await world.store.audit.list({ filters, audiences: null, after: null, limit: 5 })
  assert.deepEqual({ found: page.records.length, examined: page.examined }, { found: 0, examined: PAGE_EXAMINED_MAX })
  assert.ok(page.next !== null)
})

for (const [index, , read] of AUDIT_READS) {
  testEmbedded(`what ${index} leads to is sought there, and sorted no more`, async () => {
    const plans = (await statementsOfRead(world.store, read)).map(statement => planOf(world.file, statement))
    assert.match(
      plans.flat().join('; '),
      new RegExp(`^SEARCH \\w+ USING INDEX ${index} \\((?:[^;]*, ?)?at\\)?[<>][^;]*$`),
    )
  })
}
