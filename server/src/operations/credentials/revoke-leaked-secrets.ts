// Revokes secrets and access tokens that were found in the open, each that is ours with everything that it got.
import type { ActKind } from '../../../../api/values/audit.ts'
import { isCompactJws, secretsInPasted } from '../../../../api/values/pasted-token.ts'
import type { Act } from '../../domain/audit/act.ts'
import { actBy, audiencesOf, type Origin } from '../../domain/caller.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { TokenRecord } from '../../domain/lists/page.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { cleanFoundAt } from '../../domain/text/found-at.ts'
import { isFor } from '../tokens/hide-lineage.ts'
import type { LeakedSecret } from '../../ports/secret-repositories.ts'

type FoundSecret = {
  readonly secret: string
  /** Where it was found; null where that is not known. */
  readonly foundAt: string | null
}

/** An access token of this service. */
type LeakedToken = {
  readonly kind: 'access_token'
  readonly revoked: boolean
  readonly agentId: string
  readonly agentName: string | null
  readonly owner: string | null
  readonly credentialId: string
  readonly id: string
}

/** `unknown`: not a secret of this service, nor a token of it that is kept. `isLast`: its agent has no other live credential. */
export type LeakAnswer = (LeakedSecret & { readonly isLast: boolean | null }) | LeakedToken | 'unknown'

// So many are handed to the store at once, each in time before its deadline.
const AT_ONCE = 50

type LeakPorts = Pick<AdministrationPorts, 'leakedSecrets' | 'secrets' | 'codec' | 'ledger' | 'agents' | 'signingKeys'>

type Report = { readonly ports: LeakPorts; readonly origin: Origin; readonly isTrial: boolean }

type Recognized = { readonly token: TokenRecord; readonly isLive: boolean }

/** One that was ended has no digest any more: it is recognized by the signature of the key in its record. */
const recognizeEnded = async ({ ports }: Report, text: string, id: string): Promise<Recognized | undefined> => {
  const life = await ports.ledger.show(id)
  if (life === undefined) return undefined
  const { token } = life
  const { keys } = await ports.signingKeys.show(token.kid)
  const key = keys.find(({ publicJwk }) => publicJwk.kid === token.kid)
  const isOurs = key !== undefined && (await ports.codec?.isSignedBy(text, key.publicJwk)) === true
  return isOurs ? { token, isLive: false } : undefined
}

/** Found by its id and recognized by its digest: what a text claims ends nothing. */
const recognize = async (report: Report, text: string): Promise<Recognized | undefined> => {
  const { ports } = report
  const reference = ports.codec?.read(text)
  if (reference === undefined) return undefined
  const [found] = await ports.ledger.find([reference])
  if (found === undefined) return recognizeEnded(report, text, reference.id)
  return ports.secrets.areEqual(reference.digest, found.digest) ? { token: found, isLive: !found.dead } : undefined
}

/** The act with where the secret was found, cleaned of secrets. */
const actOn = ({ origin }: Report, kind: ActKind, { foundAt }: FoundSecret): Act => ({
  ...actBy(origin, kind),
  foundAt: foundAt === null ? null : cleanFoundAt(foundAt),
})

const revokeToken = async (report: Report, found: FoundSecret): Promise<LeakedToken | 'unknown'> => {
  const { ports, origin, isTrial } = report
  const audiences = audiencesOf(origin.caller)
  const recognized = await recognize(report, found.secret)
  if (recognized === undefined || !isFor(recognized.token, audiences)) return 'unknown'
  const { id, agentId, credentialId, issuedAt, expiresAt } = recognized.token
  const agent = await ports.agents.show(agentId)
  const address = { id, lifetimeSeconds: expiresAt - issuedAt }
  const end = () => ports.ledger.end(address, 'secret_leaked', actOn(report, 'token.revoke', found))
  const revoked = recognized.isLive && (isTrial || (await end()) === 'ended')
  const { name: agentName = null, owner = null } = agent ?? {}
  return { kind: 'access_token', revoked, agentId, agentName, owner, credentialId, id }
}

const revokeOne = async (report: Report, found: FoundSecret): Promise<LeakedSecret | LeakedToken | 'unknown'> => {
  const { ports, isTrial } = report
  const kind = ports.secrets.kindOf(found.secret)
  if (kind === undefined) return revokeToken(report, found)
  const hash = ports.secrets.hash(found.secret)
  if (isTrial) return (await ports.leakedSecrets.identify(kind, hash)) ?? 'unknown'
  const act = actOn(report, kind === 'api_key' ? 'api_key.revoke' : 'credential.revoke', found)
  return (await ports.leakedSecrets.revoke(kind, hash, act)) ?? 'unknown'
}

type Answers = ReadonlyMap<FoundSecret, LeakedSecret | LeakedToken | 'unknown'>

const revokeEach = async (report: Report, found: readonly FoundSecret[]): Promise<Answers> => {
  const answers = new Map<FoundSecret, LeakedSecret | LeakedToken | 'unknown'>()
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const some = found.slice(from, from + AT_ONCE)
    const answered = await Promise.all(some.map(async one => [one, await revokeOne(report, one)] as const))
    for (const [one, answer] of answered) answers.set(one, answer)
  }
  return answers
}

/** Marks a secret that was the last of its agent: several secrets of one agent in one report all count as lost. */
const withLast = (answers: readonly (LeakedSecret | LeakedToken | 'unknown')[]): readonly LeakAnswer[] => {
  const leaked = new Set(answers.map(answer => (answer === 'unknown' ? '' : answer.id)))
  return answers.map(answer => {
    if (answer === 'unknown' || answer.kind === 'access_token') return answer
    return { ...answer, isLast: answer.kind === 'credential' ? answer.otherIds.every(id => leaked.has(id)) : null }
  })
}

const refuseTokens = () =>
  refuse(
    'invalid_request',
    'Tokens name their issuer, which is not known here: set MINTMARK_BASE_URL as the service has it. Nothing was revoked.',
  )

const refuseSeveral = (n: number) =>
  refuse(
    'invalid_request',
    `Secret ${n} of the report holds several secrets or tokens: report each by itself. Nothing was revoked.`,
  )

/** The one secret or token in each text. Texts with several are refused: there is one answer for each. */
const findEach = (
  { secrets, codec }: Pick<LeakPorts, 'secrets' | 'codec'>,
  reported: readonly FoundSecret[],
): OrRefusal<{ readonly found: readonly FoundSecret[] }> => {
  const isToken = (text: string) => isCompactJws(text) && (codec === null || codec.read(text) !== undefined)
  const mayBeOurs = (text: string) => secrets.kindOf(text) !== undefined || isToken(text)
  const found: FoundSecret[] = []
  for (const one of reported) {
    const [secret = '', ...others] = secretsInPasted(one.secret, mayBeOurs)
    found.push({ ...one, secret })
    if (others.length > 0) return refuseSeveral(found.length)
  }
  return { found }
}

/** What each was, in order. Reporting one again is harmless. A trial says the same of each, and ends nothing. */
export const revokeLeakedSecrets = async (
  ports: LeakPorts,
  origin: Origin,
  { found: reported, isTrial }: { readonly found: readonly FoundSecret[]; readonly isTrial: boolean },
): Promise<OrRefusal<{ readonly isTrial: boolean; readonly answers: readonly LeakAnswer[] }>> => {
  const each = findEach(ports, reported)
  if (isRefused(each)) return each
  const { found } = each
  if (ports.codec === null && found.some(({ secret }) => isCompactJws(secret))) return refuseTokens()
  const report = { ports, origin, isTrial }
  const isSecret = ({ secret }: FoundSecret): boolean => ports.secrets.kindOf(secret) !== undefined
  // Tokens first: a credential ends those that it got, which would then be reported as ended before.
  const answers = new Map([
    ...(await revokeEach(
      report,
      found.filter(one => !isSecret(one)),
    )),
    ...(await revokeEach(report, found.filter(isSecret))),
  ])
  return { isTrial, answers: withLast(found.map(one => answers.get(one) ?? 'unknown')) }
}
