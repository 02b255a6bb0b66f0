// The rounds of an issue: what is decided again, what is looked up for it, and when the store is locked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLANK_SETTINGS } from '../../src/domain/clients/change-agent.ts'
import type { Client } from '../../src/domain/clients/agent.ts'
import { Unavailable } from '../../src/domain/refusal.ts'
import { type IssueAnswer, issueTokens } from '../../src/operations/tokens/issue-tokens.ts'
import type { Freshness, InsertOutcome, IssueView, NewToken } from '../../src/ports/ports.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 0)
const NUMBERS: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3 }
const SECRET = 'secret'
const UNTIL = 1234

const refused = (clientId: string | null, presentedId = clientId) => ({
  refusal: {
    code: 'invalid_client',
    description:
      'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.',
    challenges: ['Basic'],
    attempt: { way: 'client', clientId },
    presentedId,
  },
})

const hash = (text: string): string => `hash of ${text}`

const areEqual = (a: string, b: string): boolean => a === b

const clientOf = (clientId: string, disabledAt: number | null): Client => ({
  number: NUMBERS[clientId] ?? 0,
  agent: {
    ...BLANK_SETTINGS,
    id: `agent-${clientId}`,
    clientId,
    name: clientId,
    disabledAt,
    suspendedAt: null,
    scopes: ['db:*'],
    defaultScope: ['db:read'],
    resources: ['*'],
    createdAt: NOW,
  },
  credentials: [
    {
      number: 1,
      id: 'credential',
      secretHash: hash(SECRET),
      isImported: false,
      foreignHash: null,
      trust: null,
      expiresAt: null,
    },
  ],
})

type Known = 'enabled' | 'disabled' | 'unknown'

type Program = {
  /** What the look-up of this number, from 1, finds of a client. */
  readonly find?: (clientId: string, lookup: number) => Known
  /** What becomes of a client's row that was decided on the look-up of this number. */
  readonly insert: (clientId: string, lookup: number) => InsertOutcome
  readonly insertLocked?: (clientId: string) => InsertOutcome
}

const signingKey: IssueView['signingKey'] = {
  number: 1,
  publicJwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'kid', alg: 'ES256', use: 'sig' },
  thumbprint: 'kid',
  sealedPrivateKey: new Uint8Array(),
  keyEncryptionKeyId: 'test',
}

const nameOf = (row: NewToken): string => Object.keys(NUMBERS).find(name => NUMBERS[name] === row.agent) ?? ''

/** Ports that follow the script, and the steps that were taken. The `seq` of a view is the number of its look-up. */
const follow = ({ find = () => 'enabled', insert, insertLocked = () => 'inserted' }: Program) => {
  const steps: string[] = []
  let lookups = 0
  const reported = (step: string, rows: readonly NewToken[], outcome: (row: NewToken) => InsertOutcome) => {
    steps.push(`${step} ${rows.map(nameOf).join(' ')}`)
    return Promise.resolve(rows.map(outcome))
  }
  const look = (clientId: string): Client | undefined => {
    const known = find(clientId, lookups)
    return known === 'unknown' ? undefined : clientOf(clientId, known === 'disabled' ? NOW : null)
  }
  const viewForIssue = async (clientIds: readonly string[], freshness: Freshness): Promise<IssueView> => {
    lookups += 1
    steps.push(`${freshness} ${clientIds.join(' ')}`)
    return { seq: lookups, now: NOW, signingKey, clients: clientIds.map(look) }
  }
  const locked = {
    insert: (rows: readonly NewToken[]) => reported('insert locked', rows, row => insertLocked(nameOf(row))),
  }
  const ledger = {
    insert: (rows: readonly NewToken[]) => reported('insert', rows, row => insert(nameOf(row), row.seq)),
    exclusively: async <T>(work: (ledger: typeof locked) => Promise<T>): Promise<T> => {
      steps.push('lock')
      return work(locked).finally(() => steps.push('unlock'))
    },
  }
  return { steps, viewForIssue, ledger }
}

const issueTo = async (program: Program, ...clientIds: readonly string[]) => {
  const { steps, viewForIssue, ledger } = follow(program)
  const never = (): never => assert.fail('No issue needs this port.')
  const answers = await issueTokens(
    {
      agents: {
        viewForIssue,
        create: never,
        show: never,
        list: never,
        change: never,
        lifetimes: never,
        disable: never,
        enable: never,
        delete: never,
      },
      ledger: {
        ...ledger,
        find: never,
        end: never,
        endAll: never,
        show: never,
        listLive: never,
        listEnded: never,
        listLineage: never,
      },
      usage: { countIssued: () => undefined, countRefused: () => undefined, list: never, status: never },
      codec: {
        mint: claims => claims.map(one => ({ token: `${one.client_id} at ${one.seq}`, digest: '' })),
        signIntrospections: never,
        read: never,
        isSignedBy: never,
        readLenient: never,
      },
      importedSecrets: { hash: never, verify: never },
      secrets: { hash, areEqual, makeClientSecret: never, makeApiKey: never, kindOf: never },
      randomness: { bytes: count => new Uint8Array(count), uuid: never },
      profile: {
        issuer: 'https://auth.example',
        defaultAudience: 'https://api.example',
        lifetimeSeconds: 300,
        scopesSupported: null,
        dpopNonce: 'required',
        certificates: { verified: false, unverified: false },
        signingAlgorithm: 'ES256',
      },
    },
    clientIds.map(clientId => ({
      grantType: 'client_credentials',
      credentials: { kind: 'secret', clientId, secret: SECRET },
      scope: undefined,
      resources: [],
    })),
    UNTIL,
  )
  return { steps, answers }
}

/** The answer to a client whose token was decided on the look-up of this number. */
const token = (clientId: string, lookup: number): IssueAnswer => ({
  accessToken: `${clientId} at ${lookup}`,
  tokenType: 'Bearer',
  expiresInSeconds: 300,
  scope: 'db:read',
})

const assertUnavailable = (answer: IssueAnswer | undefined, message: RegExp): void => {
  assert.ok(answer instanceof Unavailable, JSON.stringify(answer))
  assert.match(answer.message, message)
}

test('a group that nothing overtakes is looked up in the cache once and written once, without the lock', async () => {
  const { steps, answers } = await issueTo({ insert: () => 'inserted' }, 'one', 'two')
  assert.deepEqual(steps, ['cached one two', 'insert one two'])
  assert.deepEqual(answers, [token('one', 1), token('two', 1)])
})

test('a group that was overtaken three times is decided and written under the lock', async () => {
  const { steps, answers } = await issueTo({ insert: () => 'decide_again' }, 'one', 'two')
  assert.deepEqual(steps, [
    'cached one two',
    'insert one two',
    'fresh one two',
    'insert one two',
    'fresh one two',
    'insert one two',
    'lock',
    'fresh one two',
    'insert locked one two',
    'unlock',
  ])
  assert.deepEqual(answers, [token('one', 4), token('two', 4)])
})

test('only what was overtaken is decided again; a token that was written is the answer', async () => {
  const insert: Program['insert'] = clientId => (clientId === 'two' ? 'decide_again' : 'inserted')
  const { steps, answers } = await issueTo({ insert }, 'one', 'two', 'three')
  assert.deepEqual(steps.slice(0, 3), ['cached one two three', 'insert one two three', 'fresh two'])
  assert.deepEqual(steps.slice(-4), ['lock', 'fresh two', 'insert locked two', 'unlock'])
  assert.deepEqual(answers, [token('one', 1), token('two', 4), token('three', 1)])
})

test('only those whom a cached view refuses are looked up fresh', async () => {
  const find: NonNullable<Program['find']> = (clientId, lookup) =>
    clientId === 'one' || (clientId === 'two' && lookup > 1) ? 'enabled' : 'unknown'
  const { steps, answers } = await issueTo({ find, insert: () => 'inserted' }, 'one', 'nobody', 'two')
  assert.deepEqual(steps, ['cached one nobody two', 'insert one', 'fresh nobody two', 'insert two'])
  assert.deepEqual(answers, [token('one', 1), refused(null, 'nobody'), token('two', 2)])
})

test('an agent that is disabled between two rounds is refused', async () => {
  const find: NonNullable<Program['find']> = (clientId, lookup) =>
    clientId === 'one' && lookup > 1 ? 'disabled' : 'enabled'
  const insert: Program['insert'] = (_clientId, lookup) => (lookup === 1 ? 'decide_again' : 'inserted')
  const { steps, answers } = await issueTo({ find, insert }, 'one', 'two')
  assert.deepEqual(steps, ['cached one two', 'insert one two', 'fresh one two', 'insert two'])
  assert.deepEqual(answers, [refused('one'), token('two', 2)])
})

test('an agent that is disabled before the lock is had is refused under it', async () => {
  const find: NonNullable<Program['find']> = (_clientId, lookup) => (lookup > 3 ? 'disabled' : 'enabled')
  const { steps, answers } = await issueTo({ find, insert: () => 'decide_again' }, 'one')
  assert.deepEqual(steps.slice(-3), ['lock', 'fresh one', 'unlock'])
  assert.deepEqual(answers, [refused('one')])
})

test('no room for one request of a group: it is Unavailable, and its neighbours get their tokens', async () => {
  const insert: Program['insert'] = clientId => (clientId === 'two' ? 'no_room' : 'inserted')
  const { steps, answers } = await issueTo({ insert }, 'one', 'two', 'three')
  assert.deepEqual(steps, ['cached one two three', 'insert one two three'])
  const [one, two, three] = answers
  assert.deepEqual([one, three], [token('one', 1), token('three', 1)])
  assertUnavailable(two, /^The ledger holds as many different lifetimes, scopes or audiences as it takes\.$/)
})

test('what cannot be decided even under the lock is Unavailable, once', async () => {
  const insertLocked: NonNullable<Program['insertLocked']> = id => (id === 'one' ? 'decide_again' : 'inserted')
  const { steps, answers } = await issueTo({ insert: () => 'decide_again', insertLocked }, 'one', 'two')
  assert.equal(steps.filter(step => step === 'lock').length, 1)
  assert.equal(steps.at(-1), 'unlock')
  const [one, two] = answers
  assertUnavailable(one, /^A token could not be decided on even under the lock of the store\.$/)
  assert.deepEqual(two, token('two', 4))
})

test('where it is unknown whether a group was written, each of it is Unavailable, and nothing is done again', async () => {
  const insert = (): never => {
    throw new Unavailable('The store did not answer.')
  }
  const { steps, answers } = await issueTo({ insert }, 'one', 'two')
  assert.deepEqual(steps, ['cached one two', 'insert one two'])
  for (const answer of answers) assertUnavailable(answer, /^The store did not answer\.$/)
})

test('a write that fails for a group is done for each of it by itself, and fails for the culprit alone', async () => {
  const fault = new Error('planted')
  const insert: Program['insert'] = clientId => {
    if (clientId === 'two') throw fault
    return 'inserted'
  }
  const { steps, answers } = await issueTo({ insert }, 'one', 'two', 'three')
  assert.deepEqual(steps, [
    'cached one two three',
    'insert one two three',
    'cached one',
    'insert one',
    'cached two',
    'insert two',
    'cached three',
    'insert three',
  ])
  assert.deepEqual(answers, [token('one', 2), fault, token('three', 4)])
})

test('under the lock, too, what fails fails for the culprit alone', async () => {
  const fault = new Error('planted')
  const insertLocked: NonNullable<Program['insertLocked']> = clientId => {
    if (clientId === 'two') throw fault
    return 'inserted'
  }
  const { steps, answers } = await issueTo({ insert: () => 'decide_again', insertLocked }, 'one', 'two')
  assert.equal(steps.filter(step => step === 'lock').length, 3)
  assert.deepEqual(answers, [token('one', 5), fault])
})
