// The ports of credentials, and of secrets that were found in the open.
import type { CountedCredential } from '../../domain/clients/credential.ts'
import type { CredentialPage, CredentialRepository, LeakedSecretRepository } from '../../ports/secret-repositories.ts'
import type { Writer } from '../subjects.ts'
import { countLiveTokens } from '../ledger/count-tokens.ts'
import type { Program } from '../statement-program.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { agentNumber, credentialOf, type CredentialRow, listCredentials, readCredential } from './credentials.ts'
import { identifyLeaked } from './revoke-leaked.ts'
import { findWorkload } from './workloads.ts'

type Audiences = readonly string[] | null

type Counting = (row: CredentialRow) => CountedCredential

function* counting(snapshot: Snapshot, agent: number, audiences: Audiences): Program<Counting> {
  const liveTokens = yield* countLiveTokens(snapshot, agent, audiences)
  return row => ({ ...credentialOf(row), liveTokens: liveTokens(row.n) })
}

function* showOne(
  snapshot: Snapshot,
  agentId: string,
  id: string,
  audiences: Audiences,
): Program<CountedCredential | undefined> {
  const agent = yield* agentNumber(agentId)
  const row = yield* readCredential(agentId, id)
  return agent === undefined || row === undefined ? undefined : (yield* counting(snapshot, agent, audiences))(row)
}

function* listPage(
  snapshot: Snapshot,
  agentId: string,
  { audiences, ...page }: CredentialPage,
): Program<readonly CountedCredential[] | undefined> {
  const agent = yield* agentNumber(agentId)
  if (agent === undefined) return undefined
  const rows = yield* listCredentials({ agent, ...page })
  return rows.map(yield* counting(snapshot, agent, audiences))
}

// A count decides nothing, so it waits for no lease of the clock.
export const makeCredentialRepository = ({ readUntimed }: Reader, { call }: Writer): CredentialRepository => ({
  create: (agentId, credential, act) => call('createCredential', { agentId, credential, act }),
  show: (agentId, id, audiences) => readUntimed(snapshot => showOne(snapshot, agentId, id, audiences)),
  list: (agentId, page) => readUntimed(snapshot => listPage(snapshot, agentId, page)),
  rotate: (agentId, rotation, act) => call('rotateCredential', { agentId, rotation, act }),
  revoke: (revocation, act) => call('revokeCredential', { revocation, act }),
  findWorkload: (issuer, subject) => readUntimed(() => findWorkload(issuer, subject)),
  useAssertion: (assertion, until) => call('useAssertion', { assertion }, until),
})

export const makeLeakedSecretRepository = ({ read }: Reader, { call }: Writer): LeakedSecretRepository => ({
  identify: (secret, hash) => read(identifyLeaked({ secret, hash })),
  revoke: (secret, hash, act) => call('revokeLeaked', { secret, hash, act }),
})
