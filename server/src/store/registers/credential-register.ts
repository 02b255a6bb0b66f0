// The ports of credentials, and of secrets that were found in the open.
import type { CountedCredential } from '../../domain/credential.ts'
import type { CredentialPage, CredentialRegister, LeakedSecretRegister } from '../../ports/secret-registers.ts'
import { countLiveTokens } from '../ledger/count-tokens.ts'
import { agentNumber, credentialOf, type CredentialRow, listCredentials, readCredential } from './credentials.ts'
import type { Reader, Snapshot } from '../sqlite/reader.ts'
import { findWorkload } from './workloads.ts'
import type { Writer } from '../sqlite/writer-client.ts'

type Audiences = readonly string[] | null

const counted = (
  snapshot: Snapshot,
  agent: number,
  audiences: Audiences,
): ((row: CredentialRow) => CountedCredential) => {
  const liveTokens = countLiveTokens(snapshot, agent, audiences)
  return row => ({ ...credentialOf(row), liveTokens: liveTokens(row.n) })
}

const showOne = (snapshot: Snapshot, agentId: string, id: string, audiences: Audiences) => {
  const agent = agentNumber(snapshot.sql, agentId)
  const row = readCredential(snapshot.sql, agentId, id)
  return agent === undefined || row === undefined ? undefined : counted(snapshot, agent, audiences)(row)
}

const listPage = (snapshot: Snapshot, agentId: string, { after, limit, audiences }: CredentialPage) => {
  const agent = agentNumber(snapshot.sql, agentId)
  if (agent === undefined) return undefined
  return listCredentials(snapshot.sql, { agent, after, limit }).map(counted(snapshot, agent, audiences))
}

// A count decides nothing, so it waits for no lease of the clock.
export const makeCredentialRegister = (reader: Reader, writer: Writer): CredentialRegister => ({
  create: (agentId, credential, act) => writer.call('createCredential', { agentId, credential, act }),
  show: async (agentId, id, audiences) => reader.readUntimed(snapshot => showOne(snapshot, agentId, id, audiences)),
  list: async (agentId, page) => reader.readUntimed(snapshot => listPage(snapshot, agentId, page)),
  rotate: (agentId, rotation, act) => writer.call('rotateCredential', { agentId, rotation, act }),
  revoke: (revocation, act) => writer.call('revokeCredential', { revocation, act }),
  findWorkload: async (issuer, subject) => reader.readUntimed(({ sql }) => findWorkload(sql, issuer, subject)),
  useAssertion: (assertion, until) => writer.call('useAssertion', { assertion }, [], until),
})

export const makeLeakedSecretRegister = (writer: Writer): LeakedSecretRegister => ({
  revoke: (secret, hash, act, foundAt) => writer.call('revokeLeaked', { secret, hash, act, foundAt }),
})
