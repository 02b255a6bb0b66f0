// The screens that the console lists, in their order.
import { type Access, ACCESS } from '../../api/values/access.ts'

/** By the title of the screen, what it reads. */
export const SCREENS: readonly (readonly [title: string, path: string, reads: Access])[] = [
  ['Overview', '', ACCESS.readUsage],
  ['Tokens', 'tokens', ACCESS.readTokens],
  ['History', 'history', ACCESS.readTokens],
  ['Agents', 'agents', ACCESS.readAgents],
  ['Delegation', 'delegation', ACCESS.readAgents],
  ['Issuers', 'issuers', ACCESS.readIssuers],
  ['Subjects', 'subjects', ACCESS.readSubjects],
  ['Signing keys', 'keys', ACCESS.readSigningKeys],
  ['API keys', 'api-keys', ACCESS.writeKeys],
  ['Verifiers', 'verifiers', ACCESS.readTokens],
  ['Audit', 'audit', ACCESS.readAudit],
  ['Settings', 'settings', ACCESS.readUsage],
]
