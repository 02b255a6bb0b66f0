// The steps of a case of the conformance table, and the documents and tokens that the cases are made of.
import { createHash } from 'node:crypto'

export type Verdict = 'live' | 'ended' | 'ask'

export type Members = Readonly<Record<string, unknown>>

export type SentStep = {
  readonly step: 'snapshot' | 'segment' | 'changes' | 'head'
  readonly payload: Members
  /** The follower's afterwards; null while no snapshot is complete. */
  readonly position: number | null
}

export type TokenStep = {
  readonly step: 'token'
  readonly header: Members
  readonly claims: Members
  readonly verdict: Verdict
  /** Another verdict that is equally right. */
  readonly or?: Verdict
}

export type Step = SentStep | TokenStep | { readonly step: 'epoch_changed'; readonly position: null }

export type Case = { readonly name: string; readonly steps: readonly Step[] }

export const ISSUER = 'https://tokens.example.com'
export const EPOCH = '0198d4c2-5d7c-4b7a-9c3e-1f2a3b4c5d6e'
export const OTHER_EPOCH = 'b.2_Z-'
/** The time of the service, and of the issue of the token, in ms. */
export const NOW = 1_795_435_200_123
/** `exp` of the token, in seconds. */
export const EXP = 1_795_435_500
/** A cut-off's `until` beyond `EXP`. */
export const UNTIL = EXP + 3600

/** The first 8 bytes of SHA-256, as the feed names agents, credentials, keys and audiences. */
export const digest = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest().subarray(0, 8).toString('base64url')

/** A `jti` of that time in ms whose last 8 bytes are these 16 hexadecimal digits. */
export const makeId = (issuedMs: number, tail: string): string => {
  const time = issuedMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-${tail.slice(0, 4)}-${tail.slice(4)}`
}

export const TAIL = 'a1b2c3d4e5f60718'
export const OTHER_TAIL = '8f00ff00fe01fd02'

/** Tails as a document holds them. */
export const joinTails = (...tails: readonly string[]): string =>
  Buffer.from(tails.join(''), 'hex').toString('base64url')

export const HEADER = { alg: 'ES256', typ: 'at+jwt', kid: 'key-1' }

/** The token of most cases. Its `seq` is 900. */
export const CLAIMS = {
  iss: ISSUER,
  sub: '3f0e2d1c-0000-4000-8000-000000000001',
  aud: 'https://orders.example/v1',
  // That of an imported agent, which no cut-off names.
  client_id: 'billing-export',
  iat: Math.floor(NOW / 1000),
  exp: EXP,
  jti: makeId(NOW, TAIL),
  scope: 'db:read mail:send',
  seq: 900,
  credential_id: 'credential-1',
}

/** `claims` replace those of `CLAIMS`; an undefined one is left out. */
export const token = (verdict: Verdict, claims: Members = {}, header: Members = {}): TokenStep => ({
  step: 'token',
  header: { ...HEADER, ...header },
  claims: { ...CLAIMS, ...claims },
  verdict,
})

type Sent = SentStep['step']

const send =
  (step: Sent) =>
  (payload: Members, position: number | null): SentStep => ({ step, payload, position })

const DOCUMENT = { iss: ISSUER, epoch: EPOCH, now: NOW }

export const head = (payload: Members, position: number | null): SentStep =>
  send('head')({ epoch: EPOCH, now: NOW, ...payload }, position)

export const snapshot = (payload: Members, position: number | null): SentStep =>
  send('snapshot')({ ...DOCUMENT, ...payload }, position)

/** A position before and after, and facts. */
export type Range = readonly [from: number, to: number]

const facts =
  (step: Sent) =>
  ([from, to]: Range, members: Members, position: number | null): SentStep =>
    send(step)({ ...DOCUMENT, from, to, ended: {}, cut_offs: [], ...members }, position)

export const segment = facts('segment')
export const changes = facts('changes')
export const startOver: Step = { step: 'epoch_changed', position: null }

/** The service at position 0, which ended nothing yet. */
export const NOTHING_YET = snapshot({ position: 0, segments: [] }, 0)

/** A follower at position 1 with these cut-offs. */
export const withCutOffs = (...cutOffs: readonly Members[]): readonly Step[] => [
  NOTHING_YET,
  changes([0, 1], { cut_offs: cutOffs }, 1),
]

/** The cut-off of most cases: with conditions it ends the tokens of a smaller number than 902. */
export const cutOff = (members: Members = {}): Members => ({ seq: 902, until: UNTIL, ...members })

/** A follower that holds one cut-off with these conditions. It says nothing of tokens with its own number. */
export const under = (name: string, members: Members, ...steps: readonly Step[]): Case => ({
  name,
  steps: [...withCutOffs(cutOff(members)), ...steps, token('live', { seq: 902 })],
})
