// Finds out which of the tokens that introspection did not find had ended: by the record of their end and the signature, because
// a token that was moved has no digest. Nobody waits for it.
import { isForAny } from '../../../../../api/values/audience.ts'
import type { PublicJwk } from '../../../domain/keys/signing-key.ts'
import type { NameCaches } from '../../ledger/name-caches.ts'
import { recall } from '../../name-cache.ts'
import { bytesOfId } from '../../rows.ts'
import type { Reader, Snapshot } from '../../snapshot.ts'
import { first, type Program } from '../../statement-program.ts'
import type { EndedCount, PairCount, ReportedUses, UnfoundCount, UseCount } from './use-counter.ts'

const ENDED = 'select agent, key, aud from ended where id = ? and at between ? and ?'

type Ended = { readonly agentId: string; readonly publicJwk: PublicJwk; readonly audience: readonly string[] }

function* readEnded(snapshot: Snapshot, nameCaches: NameCaches, tokenId: string): Program<Ended | undefined> {
  const row = yield* first<Readonly<Record<'agent' | 'key' | 'aud', number>>>(
    ENDED,
    bytesOfId(tokenId),
    ...snapshot.endedBetween(tokenId),
  )
  if (row === undefined) return undefined
  return {
    agentId: (yield* recall(nameCaches.agent, row.agent)).id,
    publicJwk: yield* recall(nameCaches.publicJwk, row.key),
    audience: yield* recall(snapshot.sets.audience, row.aud),
  }
}

const readAll = (nameCaches: NameCaches, unfound: readonly UnfoundCount[]) =>
  function* (snapshot: Snapshot): Program<readonly (Ended | undefined)[]> {
    const found: (Ended | undefined)[] = []
    for (const { presented } of unfound) found.push(yield* readEnded(snapshot, nameCaches, presented.reference.id))
    return found
  }

const unknownOf = ({ apiKeyId, count, firstAt, lastAt }: UnfoundCount): PairCount => ({
  kind: 'pair',
  apiKeyId,
  agentId: '',
  isOutside: false,
  active: 0,
  inactive: count,
  afterEnd: 0,
  firstAt,
  lastAt,
})

const endedOf = (one: UnfoundCount, { agentId, audience }: Ended): EndedCount => {
  const { apiKeyId, count, firstAt, lastAt, presented } = one
  const { audiences, reference } = presented
  const isOutside = !isForAny(audiences, audience)
  const token = { tokenId: reference.id, agentId, isOutside, expiresAt: null }
  return { kind: 'ended', apiKeyId, ...token, count, firstAt, lastAt }
}

export type ResolvedCount = PairCount | EndedCount | ReportedUses

export const resolveUses = async (
  { readUntimed }: Reader,
  nameCaches: NameCaches,
  counts: readonly UseCount[],
): Promise<readonly ResolvedCount[]> => {
  const unfound = counts.filter(one => one.kind === 'unfound')
  const resolved: ResolvedCount[] = counts.filter(one => one.kind !== 'unfound')
  if (unfound.length === 0) return resolved
  const found = await readUntimed(readAll(nameCaches, unfound))
  for (const [n, one] of unfound.entries()) {
    const ended = found[n]
    const isToken = ended !== undefined && (await one.presented.isSignedBy(ended.publicJwk))
    resolved.push(isToken ? endedOf(one, ended) : unknownOf(one))
  }
  return resolved
}
