// Documents of the revocation feed (docs/apis/feed-protocol.md): read whole before any of it counts. What has another form
// is refused as a whole: the verifier then becomes stale, and says so, where it would otherwise guess. Other members are
// ignored: a new kind of fact comes as a condition of a cut-off that is not known here.
import { decodeCanonical } from '../readers/compact-jws.ts'
import { isJsonObject, type JsonObject } from '../readers/json.ts'
import { TAIL_BYTES } from './ended-tails.ts'

/** The present state of the feed; `now` is the time of the service in ms since 1970. */
export type Head = { readonly epoch: string; readonly position: number; readonly now: number }

export type Range = readonly [from: number, to: number]

export type Snapshot = Head & { readonly segments: readonly Range[] }

/** The conditions of a cut-off that this version knows. `digest`s are as the feed writes them. */
export type Conditions = {
  readonly agent?: string
  readonly agents?: readonly string[]
  readonly subject?: string
  readonly issuer?: string
  readonly credential?: string
  readonly key?: string
  readonly scope?: string
  readonly keep_scopes?: readonly string[]
  readonly audience?: string
  readonly keep_audiences?: readonly string[]
  readonly before?: number
  /** The id of the root in hexadecimal digits. */
  readonly root?: string
  readonly from_another?: true
  readonly opened?: true
}

export type CutOff = {
  readonly seq: number
  /** Seconds since 1970. */
  readonly until: number
  /** Undefined where a condition is unknown here, or has another form: then it is unknown which tokens it covers. */
  readonly conditions: Conditions | undefined
}

export type Changes = {
  readonly epoch: string
  readonly now: number
  readonly from: number
  readonly to: number
  readonly ended: readonly (readonly [exp: number, tails: Uint8Array])[]
  readonly cutOffs: readonly CutOff[]
}

/** What a document is not, for a log. */
export type Unreadable = { readonly unreadable: string }

const unreadable = (what: string): Unreadable => ({ unreadable: what })

export const isUnreadable = (value: object): value is Unreadable => 'unreadable' in value

export const SEGMENTS_MAX = 10_000
export const CUT_OFFS_MAX = 100_000
const EPOCH = /^[A-Za-z0-9._-]{1,128}$/
const DIGEST = /^[\w-]{10}[AEIMQUYcgkosw048]$/
const SECONDS = /^(?:0|[1-9]\d{0,11})$/
const PATTERN_CHARACTERS_MAX = 2048

const isEpoch = (value: unknown): value is string => typeof value === 'string' && EPOCH.test(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isDigest = (value: unknown): boolean => typeof value === 'string' && DIGEST.test(value)
const isPattern = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= PATTERN_CHARACTERS_MAX
const isListOf =
  (isGood: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(isGood)
const isTrue = (value: unknown): boolean => value === true

const CONDITIONS: Readonly<Record<keyof Conditions, (value: unknown) => boolean>> = {
  agent: isDigest,
  agents: isListOf(isDigest),
  subject: isDigest,
  issuer: isDigest,
  credential: isDigest,
  key: isDigest,
  scope: isPattern,
  keep_scopes: isListOf(isPattern),
  audience: isDigest,
  keep_audiences: isListOf(isDigest),
  before: isCount,
  root: isDigest,
  from_another: isTrue,
  opened: isTrue,
}

/** The head, and the data of a heartbeat. It is not signed: it grants nothing, it only says what is missing. */
export const readHead = (value: unknown): Head | Unreadable => {
  if (!isJsonObject(value)) return unreadable('The head is no JSON object.')
  const { epoch, position, now } = value
  if (!isEpoch(epoch) || !isCount(position) || !isCount(now)) {
    return unreadable('The head lacks epoch, position or now, or one has another form.')
  }
  return { epoch, position, now }
}

const isRange = (value: unknown): value is Range =>
  Array.isArray(value) && value.length === 2 && value.every(isCount) && (value[0] as number) < (value[1] as number)

const isChain = (segments: readonly Range[], position: number): boolean =>
  segments.every(([from], n) => from === (segments[n - 1]?.[1] ?? 0)) && (segments.at(-1)?.[1] ?? 0) === position

/** The payload of a snapshot whose signature and `iss` verified, without `iss`. */
export const readSnapshot = (payload: JsonObject): Snapshot | Unreadable => {
  const head = readHead(payload)
  if (isUnreadable(head)) return head
  const segments: unknown = payload['segments']
  if (!Array.isArray(segments) || segments.length > SEGMENTS_MAX || !segments.every(isRange)) {
    return unreadable(`segments is not an array of at most ${SEGMENTS_MAX} ranges.`)
  }
  const ranges: readonly Range[] = segments
  return isChain(ranges, head.position)
    ? { ...head, segments: ranges }
    : unreadable('The segments are no chain from 0 to the position.')
}

const digitsOf = (tail: string): string =>
  [...(decodeCanonical(tail) ?? [])].map(byte => byte.toString(16).padStart(2, '0')).join('')

/** Converts `root` to the form in which it is compared. */
const withRootDigits = (conditions: Conditions): Conditions =>
  conditions.root === undefined ? conditions : { ...conditions, root: digitsOf(conditions.root) }

const readCutOff = (value: unknown): CutOff | undefined => {
  if (!isJsonObject(value)) return undefined
  const { seq, until, ...conditions } = value
  if (!isCount(seq) || !isCount(until)) return undefined
  const isKnown = Object.entries(conditions).every(
    ([name, condition]) => Object.hasOwn(CONDITIONS, name) && CONDITIONS[name as keyof Conditions](condition),
  )
  return { seq, until, conditions: isKnown ? withRootDigits(conditions) : undefined }
}

const readCutOffs = (value: unknown): readonly CutOff[] | undefined => {
  if (!Array.isArray(value) || value.length > CUT_OFFS_MAX) return undefined
  const cutOffs = value.map(readCutOff).filter(cutOff => cutOff !== undefined)
  return cutOffs.length === value.length ? cutOffs : undefined
}

const decodeTails = (tails: string): Uint8Array | undefined =>
  tails === '' ? new Uint8Array() : decodeCanonical(tails)

const readEnded = (value: unknown): Changes['ended'] | undefined => {
  if (!isJsonObject(value)) return undefined
  const ended = Object.entries(value).map(([exp, tails]) => {
    const bytes = SECONDS.test(exp) && typeof tails === 'string' ? decodeTails(tails) : undefined
    return bytes === undefined || bytes.length % TAIL_BYTES !== 0 ? undefined : ([Number(exp), bytes] as const)
  })
  const good = ended.filter(entry => entry !== undefined)
  return good.length === ended.length ? good : undefined
}

/** The payload of a segment or of changes, as {@link readSnapshot}. */
export const readChanges = (payload: JsonObject): Changes | Unreadable => {
  const { epoch, now, from, to } = payload
  if (!isEpoch(epoch) || !isCount(now)) return unreadable('The document lacks epoch or now, or one has another form.')
  if (!isCount(from) || !isCount(to) || to < from) return unreadable('from and to are no range.')
  const ended = readEnded(payload['ended'])
  if (ended === undefined) return unreadable('ended does not hold tails under seconds.')
  const cutOffs = readCutOffs(payload['cut_offs'])
  if (cutOffs === undefined) return unreadable('cut_offs is not an array of objects with seq and until.')
  return { epoch, now, from, to, ended, cutOffs }
}
