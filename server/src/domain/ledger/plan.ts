// Plans of revocations and of declared records: what a dry run found, as a signed value that the act itself names, so that it ends no more.
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Administrator } from '../caller.ts'

/** How long a plan is valid, by the clock of the store. */
export const PLAN_SECONDS_MAX = 120

/** What a dry run found. */
export type CountedPlan = {
  /** When the count began, by the clock of the store. */
  readonly instant: Milliseconds
  /** What was decided, as a digest: of a revocation the agents that owner and labels matched, null where they are not named. */
  readonly agentsDigest: string | null
}

/** A plan that a revocation must not outgrow. */
export type RevocationPlan = CountedPlan & {
  /** How many matching live tokens may have been issued after its instant. */
  readonly extraMax: number
}

export type Signing = {
  /** Returns the MAC of the UTF-8 text in base64url, made with a key of this service. */
  readonly mac: (text: string) => string
  readonly areEqual: (a: string, b: string) => boolean
}

type Bound = { readonly issuer: string; readonly caller: Administrator; readonly conditions: object }

const VERSION = '1'

const nameOf = (caller: Administrator): readonly string[] => {
  if (caller.kind === 'api_key') return ['api_key', caller.id]
  return caller.kind === 'operator' ? ['operator', caller.iss, caller.sub] : ['cli', caller.user]
}

/** What of a request a plan is bound to. Each is a MAC by itself, so that a refusal can say which of them differs. */
const bind = ({ mac }: Signing, { issuer, caller, conditions }: Bound): readonly [string, string] => [
  mac(JSON.stringify(['caller', issuer, nameOf(caller)])),
  mac(JSON.stringify(['conditions', issuer, conditions])),
]

const seal = ({ mac }: Signing, issuer: string, parts: readonly string[]): string =>
  mac(JSON.stringify(['plan', issuer, ...parts]))

export const formatPlan = (signing: Signing, bound: Bound, { instant, agentsDigest }: CountedPlan): string => {
  const parts = [VERSION, String(instant), agentsDigest ?? '', ...bind(signing, bound)]
  return [...parts, seal(signing, bound.issuer, parts)].join('.')
}

const INSTANT = /^\d{0,15}$/
const DIGEST = /^[\w-]{0,43}$/

/** The plan that a text is for this request, or what is wrong with it. */
export const readPlan = (
  signing: Signing,
  bound: Bound,
  text: string,
): CountedPlan | 'not_ours' | 'other_caller' | 'other_conditions' => {
  const parts = text.split('.')
  const sealed = parts.pop() ?? ''
  if (parts.length !== 5 || !signing.areEqual(sealed, seal(signing, bound.issuer, parts))) return 'not_ours'
  const [version, instant = '', digest = '', caller = '', conditions = ''] = parts
  if (version !== VERSION || !INSTANT.test(instant) || !DIGEST.test(digest)) return 'not_ours'
  const [ownCaller, ownConditions] = bind(signing, bound)
  if (!signing.areEqual(caller, ownCaller)) return 'other_caller'
  if (!signing.areEqual(conditions, ownConditions)) return 'other_conditions'
  return { instant: Number(instant), agentsDigest: digest === '' ? null : digest }
}
