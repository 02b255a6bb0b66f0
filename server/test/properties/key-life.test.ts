// The life of signing keys under random rotations, changes of configuration, restarts, stops and steps of the clock: no
// key signs that a verifier may not have, and none goes that a live token needs.
import { test } from 'node:test'
import { openDatabase, readServiceRow, runProgram } from '../../src/store/sqlite/connection/database.ts'
import { KEY_SET_MAX_AGE_SECONDS, type KeyPolicy } from '../../src/domain/keys/key-life.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { makeManualClock } from '../../../testkit/stores/manual-clock.ts'
import { clockOf, startClock, steadyOf } from '../../src/store/sqlite/connection/clock.ts'
import { createNextKey, rotateKey } from '../../src/store/signing-keys/key-acts.ts'
import { makeKeyScheduler } from '../../src/store/signing-keys/key-scheduler.ts'
import { applyMigrations } from '../../src/store/sqlite/schema/migrations.ts'
import { createFirstKey, readCurrentSigningKey, readPublished } from '../../src/store/signing-keys/signing-keys.ts'
import { writingConnection } from '../../src/store/sqlite/connection/transaction.ts'
import { act, someSigningKey, START } from '../../../testkit/stores/store.ts'
import { inTransaction } from '../../../testkit/stores/store-file.ts'
import assert from 'node:assert/strict'
import * as fc from 'fast-check'

const SECOND = 1000
const DAY = 86_400 * SECOND

type Span = { readonly ms: number }

type Command =
  | ({ readonly kind: 'pass' } & Span)
  | ({ readonly kind: 'hang' } & Span)
  | ({ readonly kind: 'stop' } & Span)
  | ({ readonly kind: 'step' } & Span)
  | { readonly kind: 'rotate' }
  | { readonly kind: 'supply' }
  | { readonly kind: 'configure'; readonly algorithm: 'ES256' | 'EdDSA'; readonly rotationDays: number | null }
  | { readonly kind: 'issue'; readonly lifetimeSeconds: number }

const span = fc.oneof(
  fc.integer({ min: 1, max: 30 * SECOND }),
  fc.integer({ min: 1, max: 600 * SECOND }),
  fc.integer({ min: 1, max: 40 * DAY }),
)

// Steps of more than a minute are taken over by a start only.
const clockStep = fc.integer({ min: -DAY, max: DAY })

// One long one is enough to keep every key long.
const lifetimes = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(60, 300) },
  { weight: 1, arbitrary: fc.constantFrom(3600, 86_400) },
)

const configuration = fc.record({
  kind: fc.constant('configure' as const),
  algorithm: fc.constantFrom('ES256' as const, 'EdDSA' as const),
  rotationDays: fc.constantFrom(1, 30, null),
})

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: span.map((ms): Command => ({ kind: 'pass', ms })) },
  { weight: 2, arbitrary: span.map((ms): Command => ({ kind: 'hang', ms })) },
  { weight: 2, arbitrary: span.map((ms): Command => ({ kind: 'stop', ms })) },
  { weight: 2, arbitrary: clockStep.map((ms): Command => ({ kind: 'step', ms })) },
  { weight: 3, arbitrary: fc.constantFrom<Command>({ kind: 'rotate' }, { kind: 'supply' }) },
  { weight: 1, arbitrary: configuration },
  { weight: 6, arbitrary: lifetimes.map((lifetimeSeconds): Command => ({ kind: 'issue', lifetimeSeconds })) },
)

type Policy = Pick<KeyPolicy, 'rotationDays'> & { readonly algorithm: 'ES256' | 'EdDSA' }

/** What verifiers and holders of tokens know, by a clock that nobody sets. */
const makeOutside = () => {
  let now = 0
  const published = new Map<string, number>()
  const tokens: { readonly kid: string; readonly expires: number }[] = []
  return {
    pass: (ms: number): void => {
      now += ms
    },
    seeKeySet: (kids: readonly string[]): void => {
      for (const kid of kids) if (!published.has(kid)) published.set(kid, now)
      const lost = tokens.find(({ kid, expires }) => expires > now && !kids.includes(kid))
      assert.equal(lost, undefined, 'A live token needs a key that is gone.')
    },
    seeToken: (kid: string, lifetimeSeconds: number): void => {
      const since = published.get(kid) ?? assert.fail('A key signs that is not published.')
      const isFirst = [...published.keys()][0] === kid
      assert.ok(isFirst || now - since > 1000 * KEY_SET_MAX_AGE_SECONDS, 'A key signs that a cached key set lacks.')
      tokens.push({ kid, expires: now + 1000 * lifetimeSeconds })
    },
    keysSeen: () => published.size,
  }
}

const ROTATE = { force: false, candidate: null, act: act('signing_key.rotate') } as const

const makeStore = () => {
  const clock = makeManualClock(START)
  const db = openDatabase(':memory:')
  applyMigrations(db, { madeBy: 'migrate', now: START })
  const connection = writingConnection(db, clock.wall, { timing: TIMING })
  const first = { key: someSigningKey(), act: act('signing_key.create') }
  inTransaction(connection, tx => createFirstKey(tx, first))
  return { clock, db }
}

/** A process on the store, from its start on. */
const startProcess = ({ clock, db }: ReturnType<typeof makeStore>, policy: Policy, onKeyWanted: () => void) => {
  const { clockLease } = readServiceRow(writingConnection(db, clock.wall, { timing: TIMING }).sql)
  const cells = startClock(clockLease, clock.buffer)
  const tick = clockOf(cells)
  const connection = writingConnection(db, tick, { timing: TIMING })
  const steady = steadyOf(cells)
  const keyStep = makeKeyScheduler({ timing: TIMING, policy: { ...policy, lifetimeSeconds: 300 }, steady, onKeyWanted })
  return { connection, keyStep: () => runProgram(connection.sql, keyStep(tick)) }
}

const makeWorld = () => {
  const store = makeStore()
  const outside = makeOutside()
  let policy: Policy = { algorithm: 'ES256', rotationDays: 30 }
  let wanted = false
  const start = () =>
    startProcess(store, policy, () => {
      wanted = true
    })
  let service = start()

  const publish = (): void =>
    outside.seeKeySet(runProgram(service.connection.sql, readPublished()).map(({ kid }) => kid))

  const work = (): void => {
    for (let step = service.keyStep(); step !== undefined; step = service.keyStep()) {
      inTransaction(service.connection, step)()
      publish()
    }
  }

  const restart = (): void => {
    service = start()
    work()
  }
  const hang = (ms: number): void => [store.clock.advance, outside.pass].forEach(time => time(ms))

  const doing: { readonly [Kind in Command['kind']]: (one: Extract<Command, { kind: Kind }>) => void } = {
    pass: ({ ms }) => {
      const turnMs = Math.ceil(Math.max(7000, ms / 50))
      for (let left = ms; left > 0; left -= turnMs) {
        hang(Math.min(turnMs, left))
        work()
      }
    },
    hang: ({ ms }) => hang(ms),
    stop: ({ ms }) => {
      hang(ms)
      restart()
    },
    step: ({ ms }) => {
      store.clock.stepWall(ms)
      restart()
    },
    configure: ({ algorithm, rotationDays }) => {
      policy = { algorithm, rotationDays }
      restart()
    },
    rotate: () => {
      inTransaction(service.connection, tx => rotateKey(tx, ROTATE))
      publish()
    },
    supply: () => {
      if (!wanted) return
      wanted = false
      const create = { key: someSigningKey(policy.algorithm), act: act('signing_key.create') }
      inTransaction(service.connection, tx => createNextKey(tx, create))
      publish()
    },
    issue: ({ lifetimeSeconds }) => {
      const key = runProgram(service.connection.sql, readCurrentSigningKey()) ?? assert.fail('No key signs.')
      service.connection.sql('insert or ignore into lifetime values (?)').run(lifetimeSeconds)
      outside.seeToken(key.publicJwk.kid, lifetimeSeconds)
    },
  }
  publish()
  // Of a union of commands each finds its own doing.
  const run = (one: Command): void => (doing[one.kind] as (command: Command) => void)(one)
  return { run, keysSeen: outside.keysSeen }
}

test('whatever happens, no key signs that a cached key set lacks, and none goes that a live token needs', () => {
  let keysSeen = 0
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 60 }), commands => {
      const world = makeWorld()
      commands.forEach(world.run)
      keysSeen += world.keysSeen()
    }),
    { numRuns: 100 },
  )
  assert.ok(keysSeen > 120, 'Next to nothing was rotated.')
})
