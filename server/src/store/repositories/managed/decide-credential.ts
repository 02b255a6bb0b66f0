// What becomes of a credential that a file declares: a key, a certificate or a workload, never a secret. It does not change: another
// takes its place.
import { CREDENTIAL_REASONS } from '../../../../../api/values/credentials.ts'
import { formatTimeOrNull } from '../../../../../api/values/time.ts'
import { trustRecord } from '../../../domain/clients/client-trust.ts'
import { CREDENTIALS_MAX } from '../../../domain/clients/credential.ts'
import { hasExpired } from '../../../domain/ledger/expiry.ts'
import type { ManagedTerms, Wanted } from '../../../domain/clients/managed-record.ts'
import {
  agentNumber,
  countLiveCredentials,
  type CredentialRow,
  endingsOfRevocation,
  makeCredential,
  readCredentialById,
  readDeclarableCredentials,
  revokeRow,
} from '../credentials.ts'
import type { Coming } from '../../../ports/managed-records.ts'
import { overlapping } from '../workloads.ts'
import type { Seen } from '../../snapshot.ts'
import { only, run, type Program } from '../../statement-program.ts'
import { audit } from '../../transaction.ts'
import { findAgentId } from './decide-agent.ts'
import { type Decided, type Decision, obstacle, obstacleOfOthers, unchanged } from './decision.ts'

type WantedCredential = Wanted<'credential'>

type Contents = Pick<CredentialRow, 'trust' | 'expiresAt'>

const contentsOf = ({ trust, expiresAt }: Contents) => ({
  ...trustRecord(trust),
  expires_at: formatTimeOrNull(expiresAt),
})

const isSame = (one: Contents, other: Contents): boolean =>
  JSON.stringify(contentsOf(one)) === JSON.stringify(contentsOf(other))

const hasSameTrust = (one: Contents, other: Contents): boolean =>
  isSame({ ...one, expiresAt: null }, { ...other, expiresAt: null })

/** The agent of a credential; its id is null before it is made. */
type Owner = { readonly id: string | null; readonly name: string }

const NAME = 'select name from agent where id = ?'

function* ownerOf(agent: string, { agents }: Coming): Program<Owner | undefined> {
  const coming = agents.find(({ id, name }) => id === agent || name === agent)
  const id = yield* findAgentId(coming?.id ?? agent)
  if (id === undefined) return coming === undefined ? undefined : { id: null, name: coming.name }
  return { id, name: coming?.name ?? (yield* only<{ name: string }>(NAME, id)).name }
}

function* readRows({ id }: Owner, name: string): Program<readonly CredentialRow[]> {
  const agent = id === null ? undefined : yield* agentNumber(id)
  return agent === undefined ? [] : yield* readDeclarableCredentials(agent, name)
}

const REVOKE = { reason: CREDENTIAL_REASONS[0], keepTokens: false } as const

const MANAGE = 'update credential set managed_by = ? where id = ?'

/** Revokes it, and forgets that a set made it: what is revoked and still has its mark was revoked by hand. */
const revocationOf = (row: CredentialRow): Pick<Decision, 'endings' | 'run'> => ({
  endings: endingsOfRevocation(row, REVOKE) ?? [],
  run: function* (tx, act) {
    yield* revokeRow(tx, row, { ...REVOKE, act: { ...act, kind: 'credential.revoke' } })
    yield* run(MANAGE, null, row.id)
    return row.id
  },
})

type New = {
  readonly owner: Owner
  readonly wanted: WantedCredential
  readonly replaced?: CredentialRow
}

function* obstacleToNew(
  { now }: Seen,
  { owner, wanted, replaced }: New,
): Program<Exclude<Decided, Decision> | undefined> {
  if (hasExpired(wanted.expiresAt, now)) return obstacle('expired')
  const agent = owner.id === null ? undefined : yield* agentNumber(owner.id)
  const live = agent === undefined ? 0 : yield* countLiveCredentials(agent, now)
  if (live - (replaced === undefined ? 0 : 1) >= CREDENTIALS_MAX) return obstacle('too_many_credentials')
  const taken = wanted.trust.kind === 'workload_identity' ? yield* overlapping(wanted.trust) : undefined
  return taken === undefined || taken.id === replaced?.id ? undefined : { why: 'workload_taken', ...taken }
}

/** Makes it, in the place of another where there is one. */
function* decideNew(seen: Seen, terms: ManagedTerms, wish: New): Program<Decided> {
  const { owner, wanted, replaced } = wish
  const blocked = yield* obstacleToNew(seen, wish)
  if (blocked !== undefined) return blocked
  const { name, expiresAt, trust, newId: id } = wanted
  const revocation = replaced === undefined ? undefined : revocationOf(replaced)
  return {
    kind: 'credential',
    action: replaced === undefined ? 'create' : 'replace',
    id: replaced?.id ?? null,
    name,
    agent: owner.name,
    before: replaced === undefined ? {} : contentsOf(replaced),
    after: contentsOf({ trust, expiresAt }),
    remark: null,
    endings: revocation?.endings ?? [],
    run: function* (tx, act) {
      // First: of one workload there is one credential, and nobody sees a time without.
      if (revocation !== undefined) yield* revocation.run(tx, act)
      const expiry = expiresAt === null ? null : { at: expiresAt }
      const credential = { id, name, secretHash: null, expiry, trust }
      const made = yield* makeCredential(tx, {
        agentId: owner.id ?? '',
        credential,
        act: { ...act, kind: 'credential.create' },
      })
      if (typeof made === 'string' || 'taken' in made) throw new Error('A credential that was decided on was not made.')
      yield* run(MANAGE, terms.managedBy, id)
      return id
    },
  }
}

const adoptionOf = (row: CredentialRow, owner: Owner, { managedBy }: ManagedTerms): Decision => ({
  ...unchanged({ kind: 'credential', id: row.id, name: row.name, agent: owner.name }),
  action: 'adopt',
  run: function* (tx, act) {
    yield* run(MANAGE, managedBy, row.id)
    yield* audit(tx, { ...act, kind: 'credential.create' }, row.id, {
      before: { managed_by: row.managedBy },
      after: { managed_by: managedBy },
    })
    return row.id
  },
})

export function* decideCredential(
  seen: Seen,
  wanted: WantedCredential,
  terms: ManagedTerms,
  coming: Coming,
): Program<Decided> {
  const owner = yield* ownerOf(wanted.agent, coming)
  if (owner === undefined) return obstacle('agent_unknown')
  const rows = yield* readRows(owner, wanted.name)
  const live = rows.filter(({ revokedAt }) => revokedAt === null)
  // Of several by hand with one name it is the one that the file has.
  const row =
    live.find(({ managedBy }) => managedBy === terms.managedBy) ?? live.find(one => isSame(one, wanted)) ?? live[0]
  // With another end or name, and in the place of another one, too: what was revoked is what is trusted.
  const byHand = rows.find(one => one.revokedAt !== null && hasSameTrust(one, wanted))
  if (byHand !== undefined && (row === undefined || !hasSameTrust(row, wanted)))
    return unchanged({ kind: 'credential', id: byHand.id, name: wanted.name, agent: owner.name, remark: 'revoked' })
  if (row === undefined) return yield* decideNew(seen, terms, { owner, wanted })
  const others = obstacleOfOthers(row.managedBy, terms)
  if (others !== undefined) return others
  if (!isSame(row, wanted)) return yield* decideNew(seen, terms, { owner, wanted, replaced: row })
  if (row.managedBy !== terms.managedBy) return adoptionOf(row, owner, terms)
  const remark = row.suspendedAt === null ? null : 'suspended'
  return unchanged({ kind: 'credential', id: row.id, name: row.name, agent: owner.name, remark })
}

export function* decideCredentialRemoval(id: string, terms: ManagedTerms): Program<Decided> {
  const row = yield* readCredentialById(id)
  if (row === undefined || row.revokedAt !== null) return unchanged({ kind: 'credential', id, name: id, agent: null })
  const others = obstacleOfOthers(row.managedBy, { ...terms, adopt: false })
  if (others !== undefined) return others
  const { name: agent } = yield* only<{ name: string }>(NAME, row.agentId)
  return {
    kind: 'credential',
    action: 'delete',
    id,
    name: row.name,
    agent,
    before: contentsOf(row),
    after: {},
    remark: null,
    ...revocationOf(row),
  }
}
