// Explains why a token is active or not, by the same rules by which introspection decides: for those who may read tokens.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import {
  type Check,
  codeOf,
  type Explanation,
  explainText as textExplanation,
  failedCheck,
  type LedgerExplanation,
  passedCheck,
} from '../../domain/ledger/explanation.ts'
import { kindsNamedTo } from '../../domain/lists/names.ts'
import { isTokenId } from '../../domain/ledger/claims.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { AdministrationPorts, Ports } from '../../ports/ports.ts'
import type { ClassifiedText, TokenCodec, TokenReference } from '../../ports/token-codec.ts'
import { hideLife, isFor } from './hide-lineage.ts'
import { refuseUnknown } from './read-tokens.ts'

type Audiences = readonly string[] | null

/** Checks as the caller may see them: of an ancestor for other audiences no id, and no act behind its end. */
const hideChecks = ({ life, checks }: LedgerExplanation, audiences: Audiences): readonly Check[] => {
  if (audiences === null) return checks
  const { end } = hideLife(life, audiences)
  return checks.map(one => {
    const { check, evidence } = one
    const above = check === 'ancestor' ? life.token.ancestors[(evidence.distance ?? 0) - 1] : undefined
    if (above !== undefined && !isFor(above, audiences)) return { ...one, evidence: { ...evidence, id: null } }
    if (check !== 'end' || end === null || evidence.act === undefined) return one
    const { endedBy: by, note, revocationId } = end
    return { ...one, evidence: { ...evidence, act: { ...evidence.act, by, note, revocationId } } }
  })
}

const explanationOf = (found: LedgerExplanation, audiences: Audiences, before: readonly Check[]): Explanation => ({
  code: codeOf(found),
  checks: [...before, ...hideChecks(found, audiences)],
  explainedAt: found.now,
  life: hideLife(found.life, audiences),
})

/** Why the token with this id is active or not. One for other audiences than the caller's does not exist for the caller. */
export const explainToken = async (
  ports: Pick<Ports, 'ledger'>,
  caller: Administrator,
  tokenId: string,
): Promise<OrRefusal<Explanation>> => {
  const found = isTokenId(tokenId) ? await ports.ledger.explain(tokenId, kindsNamedTo(caller)) : undefined
  const audiences = audiencesOf(caller)
  return found === undefined || !isFor(found.life.token, audiences)
    ? refuseUnknown()
    : explanationOf(found, audiences, [])
}

type TextPorts = Pick<AdministrationPorts, 'ledger' | 'secrets' | 'codec'>

/** Refuses on the store of a machine where the issuer of its tokens is not configured. */
export const refuseWithoutIssuer = () =>
  refuse(
    'invalid_request',
    'Tokens name their issuer, which is not known here: set MINTMARK_BASE_URL as the service has it.',
  )

type Text = { readonly text: string; readonly reference: TokenReference; readonly isExact: boolean }

/** A row that was moved has no digest: there the signature decides, and another spelling of that passes for the token. */
const readSpelling = async (
  { ledger, secrets }: TextPorts,
  codec: Pick<TokenCodec, 'isSignedBy'>,
  { text, reference, isExact }: Text,
  found: LedgerExplanation,
): Promise<'exact' | 'other_spelling' | 'foreign'> => {
  const [row] = isExact ? await ledger.find([reference]) : []
  if (row !== undefined && secrets.areEqual(reference.digest, row.digest)) return 'exact'
  if (!(await codec.isSignedBy(text, found.publicJwk))) return 'foreign'
  return isExact && row === undefined ? 'exact' : 'other_spelling'
}

const explainReference = async (
  ports: TextPorts,
  codec: Pick<TokenCodec, 'isSignedBy'>,
  caller: Administrator,
  { text, before }: { readonly text: Text; readonly before: readonly Check[] },
): Promise<OrRefusal<Explanation>> => {
  const { id } = text.reference
  const audiences = audiencesOf(caller)
  const found = await ports.ledger.explain(id, kindsNamedTo(caller))
  // For a limited key there is no difference between a token that is unknown and one of others.
  if (found === undefined && audiences === null)
    return textExplanation('unknown', [...before, failedCheck('record', { id })])
  if (found === undefined || !isFor(found.life.token, audiences)) return refuseUnknown()
  const named = [...before, passedCheck('record', { id })]
  const spelling = await readSpelling(ports, codec, text, found)
  if (spelling === 'exact') return explanationOf(found, audiences, [...named, passedCheck('spelling')])
  const isSigned = spelling === 'other_spelling'
  const life = isSigned ? hideLife(found.life, audiences) : null
  const checks = [...named, failedCheck('spelling', { isSigned })]
  return { code: spelling, checks, explainedAt: found.now, life }
}

/** Why this text is active or not. It is neither logged nor stored. */
export const explainTokenText = async (
  ports: TextPorts & { readonly profile: { readonly issuer: string } },
  caller: Administrator,
  text: string,
): Promise<OrRefusal<Explanation>> => {
  const { codec, profile } = ports
  if (codec === null) return refuseWithoutIssuer()
  const classified: ClassifiedText = codec.classify(text)
  if (classified === 'malformed') return textExplanation('malformed', [failedCheck('form')])
  const { issuer } = profile
  if (classified === 'foreign') {
    return textExplanation('foreign', [passedCheck('form'), failedCheck('issuer', { issuer })])
  }
  const before = [passedCheck('form'), passedCheck('issuer', { issuer })]
  return explainReference(ports, codec, caller, { text: { text, ...classified }, before })
}
