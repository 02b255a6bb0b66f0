// Checks each trusted issuer: that its metadata names it, that its keys can be read and are of use, and that no token fits two records.
import { issuerMistake } from '../../../../api/values/issuers.ts'
import { type Finding, fail, good, warn } from '../../domain/checkup.ts'
import { areDistinct, isService, type TrustedIssuer } from '../../domain/clients/trusted-issuer.ts'
import type { ForeignIssuers, IssuerState } from '../../ports/issuers.ts'
import { readIssuers } from '../../store/repositories/issuers.ts'
import { timingOf } from '../timing.ts'
import { foreignJwtsOf, openKeySets } from '../verification.ts'
import { withSchema } from './store-checks.ts'

const LOOK = 'docs/run/operators-sign-in.md lists what to check for each cause.'

const judgeState = (state: IssuerState): Finding => {
  const { alias, issuer } = state
  if (state.status === 'ok')
    return good(`The keys of the trusted issuer ${alias} (${issuer}) can be read, and one is usable.`)
  return fail({
    what: `The keys of the trusted issuer ${alias} (${issuer}) cannot be read: ${state.detail}. No JWT of it is taken.`,
    remedy: `Look at \`mintmark issuer show ${alias}\`; one in a private network needs MINTMARK_CLIENT_KEYS_ALLOWED_RANGES. ${LOOK}`,
  })
}

const REMEDY = 'Create a record with another alias in its place, and delete this one.'

/** What its creation refuses now: an earlier version, or a terminal that does not know the base URL, took it. */
const judgeName = ({ alias, issuer }: TrustedIssuer, baseUrl: string | undefined): readonly Finding[] => {
  if (isService(issuer, baseUrl))
    return [fail({ what: `The trusted issuer ${alias} is this service.`, remedy: REMEDY })]
  const mistake = issuerMistake(issuer)
  if (mistake === undefined) return []
  return [fail({ what: `The issuer of ${alias} ${mistake}.`, remedy: REMEDY })]
}

const pairsOf = (issuers: readonly TrustedIssuer[]) =>
  issuers.flatMap((one, n) => issuers.slice(n + 1).map(other => [one, other] as const))

const judgePair = ([one, other]: readonly [TrustedIssuer, TrustedIssuer]): readonly Finding[] => {
  const named = `The trusted issuers ${one.alias} and ${other.alias}`
  if (one.issuer === other.issuer && !areDistinct(one, other)) {
    return [fail({ what: `${named} are one issuer, and a token could fit both.`, remedy: `Delete one of them.` })]
  }
  if (one.issuer === other.issuer || one.jwksUri === null || one.jwksUri !== other.jwksUri) return []
  const what = `${named} have the same jwks_uri: if they are one tenant, each of its subjects is two, and blocking one leaves the other.`
  return [warn({ what, remedy: 'Have the tenant issue tokens with one issuer, and delete the other record.' })]
}

/** Where the keys stand at an address of their own, what the metadata says is a hint that something is mistyped. */
const judgeMetadata = async (
  { discover }: Pick<ForeignIssuers, 'discover'>,
  { alias, issuer, jwksUri }: TrustedIssuer,
): Promise<readonly Finding[]> => {
  const found = jwksUri === null ? 'as_written' : await discover(issuer)
  if (typeof found === 'string') return []
  const what = `The metadata of the trusted issuer ${alias} (${issuer}) names ${JSON.stringify(found.named)}.`
  return [warn({ what, remedy: `Compare with iss of a token; if that differs, no JWT is taken. ${REMEDY}` })]
}

export const checkTrustedIssuers = withSchema(async (inspection, { survey: { settings } }) => {
  const issuers = await inspection.run(readIssuers())
  const enabled = issuers.filter(({ disabledAt }) => disabledAt === null)
  const names = issuers.flatMap(issuer => judgeName(issuer, settings.baseUrl))
  const found = [...names, ...pairsOf(issuers).flatMap(judgePair)]
  if (enabled.length === 0) return found.length > 0 ? found : [good('No issuer is trusted.')]
  const keySets = await openKeySets(settings, { timing: timingOf() })
  const { foreignIssuers } = await foreignJwtsOf(
    { identityProviders: [], baseUrl: settings.baseUrl ?? '' },
    { keySets, timing: timingOf() },
  )
  const [states, metadata] = await Promise.all([
    foreignIssuers.check(enabled),
    Promise.all(enabled.map(issuer => judgeMetadata(foreignIssuers, issuer))),
  ])
  return [...found, ...states.map(judgeState), ...metadata.flat()]
})
