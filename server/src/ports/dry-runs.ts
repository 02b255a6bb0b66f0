// Dry runs of acts that end tokens: what each would end now. None changes anything.
import type { ChangeObstacle, WantedChange } from '../domain/clients/change-agent.ts'
import type { EndCount } from '../domain/ledger/ends.ts'
import type { OrRefusal } from '../domain/refusal.ts'
import type { IssuerSubject } from '../../../api/values/subject.ts'
import type { CredentialRevocation } from './secret-repositories.ts'

/** Each counts by the conditions with which the act of the same name ends tokens, and is refused as that would be. */
export interface DryRuns {
  changeAgent(wanted: WantedChange): Promise<OrRefusal<EndCount> | ChangeObstacle>
  disableAgent(agentId: string): Promise<EndCount | 'unknown'>
  deleteAgent(agentId: string): Promise<EndCount | 'unknown'>
  revokeCredential(revocation: CredentialRevocation): Promise<EndCount | 'unknown'>
  disableIssuer(alias: string): Promise<EndCount | 'unknown'>
  deleteIssuer(alias: string): Promise<EndCount | 'unknown'>
  blockSubject(subject: IssuerSubject): Promise<EndCount | 'unknown' | 'too_many'>
  compromiseKey(kid: string): Promise<EndCount | 'unknown'>
}
