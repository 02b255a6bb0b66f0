// Issues a group of requests by ports that follow a script, and notes the steps that were taken.
import assert from 'node:assert/strict'
import type { UsageCounts } from '../../src/ports/usage.ts'
import { BLANK_SETTINGS } from '../../src/domain/clients/change-agent.ts'
import type { Client } from '../../src/domain/clients/agent.ts'
import { Unavailable } from '../../src/domain/refusal.ts'
import { type IssueAnswer, issueTokens } from '../../src/operations/tokens/issue-tokens.ts'
import type { IssuerRepository } from '../../src/ports/issuers.ts'
import type { Freshness, InsertOutcome, IssueView, NewToken } from '../../src/ports/ports.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 0)
const NUMBERS: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3 }
const SECRET = 'secret'
const UNTIL = 1234

export const refused = (clientId: string | null, presentedId = clientId) => ({
  refusal: {
    code: 'invalid_client',
    description:
      'Client authentication failed: send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.',
    challenges: ['Basic'],
    attempt: { way: 'client', clientId },
    presentedId,
    inside: clientId === null ? 'no client has this client_id' : 'the agent is disabled',
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
    managedBy: null,
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

export type Program = {
  /** What the look-up of this number, from 1, finds of a client. */
  readonly find?: (clientId: string, lookup: number) => Known
  /** What becomes of a client's row that was decided on the look-up of this number. */
  readonly insert: (clientId: string, lookup: number) => InsertOutcome
  readonly insertLocked?: (clientId: string) => InsertOutcome
  /** Whether a client's token would be too long. */
  readonly isTooLong?: (clientId: string) => boolean
}

const signingKey: IssueView['signingKey'] = {
  number: 1,
  publicJwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'kid', alg: 'ES256', use: 'sig' },
  thumbprint: 'kid',
  sealedPrivateKey: new Uint8Array(),
  keyEncryptionKeyId: 'test',
}

const nameOf = (row: NewToken): string => Object.keys(NUMBERS).find(name => NUMBERS[name] === row.agent) ?? ''

const never = (): never => assert.fail('No issue needs this port.')

const usage: UsageCounts = {
  countIssued: () => undefined,
  countRefused: () => undefined,
  afterAnswers: never,
  countActive: never,
  countInactive: never,
  countReported: never,
  list: never,
  listEach: never,
  listUses: never,
  listLateUses: never,
  status: never,
  series: never,
  listRefusals: never,
  listExpiring: never,
}

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

const NO_ISSUERS: IssuerRepository = {
  create: never,
  show: never,
  list: never,
  change: never,
  disable: never,
  enable: never,
  delete: never,
  trusted: never,
  block: never,
  unblock: never,
  subjects: never,
}

export const issueTo = async (program: Program, ...clientIds: readonly string[]) => {
  const { steps, viewForIssue, ledger } = follow(program)
  const counted: (readonly [number | null, string])[] = []
  const answers = await issueTokens(
    {
      agents: {
        viewForIssue,
        create: never,
        show: never,
        list: never,
        delegation: never,
        change: never,
        lifetimes: never,
        disable: never,
        enable: never,
        delete: never,
      },
      operators: { audiences: never, verify: never, check: never },
      issuers: NO_ISSUERS,
      ledger: {
        ...ledger,
        find: never,
        end: never,
        endAll: never,
        show: never,
        explain: never,
        selectAgents: never,
        listLive: never,
        listEnded: never,
        listLineage: never,
      },
      usage: { ...usage, countRefused: (agent, reason) => void counted.push([agent, reason]) },
      codec: {
        mint: claims =>
          claims.map(({ client_id, seq }) =>
            program.isTooLong?.(client_id) === true ? undefined : { token: `${client_id} at ${seq}`, digest: '' },
          ),
        signIntrospections: never,
        signRevocations: never,
        read: never,
        isSignedBy: never,
        readLenient: never,
        classify: never,
      },
      importedSecrets: { hash: never, verify: never },
      secrets: { hash, areEqual, makeClientSecret: never, makeApiKey: never, makeSessionSecret: never, kindOf: never },
      randomness: { bytes: count => new Uint8Array(count), uuid: never },
      profile: {
        issuer: 'https://auth.example',
        defaultAudience: 'https://api.example',
        lifetimeSeconds: 300,
        scopesSupported: null,
        claimNames: [],
        dpopNonce: 'required',
        certificates: { verified: false, unverified: false },
        signingAlgorithm: 'ES256',
        rotationDays: 30,
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
  return { steps, answers, counted }
}

/** The answer to a client whose token was decided on the look-up of this number. */
export const token = (clientId: string, lookup: number): IssueAnswer => ({
  accessToken: `${clientId} at ${lookup}`,
  tokenType: 'Bearer',
  expiresInSeconds: 300,
  scope: 'db:read',
})

export const assertUnavailable = (answer: IssueAnswer | undefined, message: RegExp): void => {
  assert.ok(answer instanceof Unavailable, JSON.stringify(answer))
  assert.match(answer.message, message)
}
