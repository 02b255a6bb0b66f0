// What becomes of a credential that a file declares: a key, a certificate or a workload, never a secret. It does not change: another
// takes its place.
import { CREDENTIAL_REASONS } from '../../../../../api/values/credentials.ts'
import { formatTimeOrNull } from '../../../../../api/values/time.ts'
import { sharesTrust, trustRecord } from '../../../domain/clients/client-trust.ts'
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
import { findAgentId } from './decide-agent.ts'
import {
  auditAdoption,
  type Decided,
  type Decision,
  obstacle,
  obstacleOfOthers,
  remarkOf,
  unchanged,
} from './decision.ts'

type WantedCredential = Wanted<'credential'>

type Contents = Pick<CredentialRow, 'trust' | 'expiresAt'>

const contentsOf = ({ trust, expiresAt }: Contents) => ({
  ...trustRecord(trust),
  expires_at: formatTimeOrNull(expiresAt),
})

const isSame = (one: Contents, other: Contents): boolean =>
  JSON.stringify(contentsOf(one)) === JSON.stringify(contentsOf(other))

/** The agent of a credential. Before it is made its id is null. */
type Owner = {
  readonly id: string | null
  readonly name: string
  /** Null, too, where no set does. */
  readonly managedBy: string | null
  /** How many credentials it gets before this one. */
  readonly coming: number
}

const OWNER = 'select name, managed_by as "managedBy" from agent where id = ?'

function* ownerOf(agent: string, { agents, credentials }: Coming): Program<Owner | undefined> {
  const declared = agents.find(({ id }) => id === agent) ?? agents.find(({ name }) => name === agent)
  const id = yield* findAgentId(declared?.id ?? agent)
  const found = id === undefined ? undefined : yield* only<Pick<Owner, 'name' | 'managedBy'>>(OWNER, id)
  const name = declared?.name ?? found?.name
  if (name === undefined) return undefined
  const coming = credentials.filter(one => one === name).length
  return { id: id ?? null, name, managedBy: found?.managedBy ?? null, coming }
}

function* readRows({ id }: Owner, name: string): Program<readonly CredentialRow[]> {
  const agent = id === null ? undefined : yield* agentNumber(id)
  return agent === undefined ? [] : yield* readDeclarableCredentials(agent, name)
}

const REVOKE = { reason: CREDENTIAL_REASONS[0], keepTokens: false } as const

const MANAGE = 'update credential set managed_by = ? where id = ?'

/** Revokes it, and forgets that a set made it: what is revoked and still has its mark was revoked by hand, or suspended before. */
const revocationOf = (row: CredentialRow): Pick<Decision, 'endings' | 'run'> => ({
  endings: endingsOfRevocation(row, REVOKE) ?? [],
  run: function* (tx, act) {
    yield* revokeRow(tx, row, { ...REVOKE, act: { ...act, kind: 'credential.revoke' } })
    if (row.suspendedAt === null) yield* run(MANAGE, null, row.id)
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
  const freed = replaced === undefined || hasExpired(replaced.expiresAt, now) ? 0 : 1
  if (live + owner.coming - freed >= CREDENTIALS_MAX) return obstacle('too_many_credentials')
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
    agentId: owner.id,
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

const adoptionOf = (row: CredentialRow, owner: Owner, terms: ManagedTerms): Decision => ({
  ...unchanged({ kind: 'credential', id: row.id, name: row.name, agent: owner.name, remark: remarkOf(row) }),
  action: 'adopt',
  run: function* (tx, act) {
    yield* run(MANAGE, terms.managedBy, row.id)
    const adopted = { id: row.id, managedBy: row.managedBy, detail: { agent_id: row.agentId } }
    yield* auditAdoption(tx, { ...act, kind: 'credential.create' }, adopted, terms)
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
  const live = rows.filter(({ name, revokedAt }) => name === wanted.name && revokedAt === null)
  // Of several by hand with one name it is the one that the file has.
  const row =
    live.find(({ managedBy }) => managedBy === terms.managedBy) ?? live.find(one => isSame(one, wanted)) ?? live[0]
  // With another end, name or spelling, and in the place of another one, too: what was revoked is what is trusted.
  const lost = rows.find(one => (one.revokedAt ?? one.suspendedAt) !== null && sharesTrust(one.trust, wanted.trust))
  const known = { kind: 'credential', name: wanted.name, agent: owner.name } as const
  // What is live and trusts it, too, a person made since.
  if (lost !== undefined && (row === undefined || !sharesTrust(row.trust, lost.trust)))
    return unchanged({ ...known, id: lost.id, remark: lost.revokedAt === null ? 'suspended' : 'revoked' })
  // Nobody who does not manage the agent gives a workload its rights.
  const others = owner.managedBy === null ? undefined : obstacleOfOthers(owner.managedBy, terms)
  if (row === undefined) return others ?? (yield* decideNew(seen, terms, { owner, wanted }))
  const ofOthers = obstacleOfOthers(row.managedBy, terms)
  if (ofOthers !== undefined) return ofOthers
  const remark = remarkOf(row)
  if (!isSame(row, wanted) && remark === null)
    return others ?? (yield* decideNew(seen, terms, { owner, wanted, replaced: row }))
  // What a restore suspended is not replaced by what is not suspended.
  if (row.managedBy !== terms.managedBy) return adoptionOf(row, owner, terms)
  return unchanged({ ...known, id: row.id, remark })
}

export function* decideCredentialRemoval(id: string, terms: ManagedTerms): Program<Decided> {
  const row = yield* readCredentialById(id)
  if (row === undefined || row.revokedAt !== null) return unchanged({ kind: 'credential', id, name: id, agent: null })
  const others = obstacleOfOthers(row.managedBy, { ...terms, adopt: false })
  if (others !== undefined) return others
  const { name: agent } = yield* only<Pick<Owner, 'name'>>(OWNER, row.agentId)
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
