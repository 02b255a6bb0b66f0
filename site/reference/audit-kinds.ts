// The reference of the audit log: each kind of act, and what an entry of it records.
import { ACT_KINDS, type ActKind } from '../../api/values/audit.ts'

const RECORDED: Readonly<Record<ActKind, string>> = {
  'agent.change': 'settings of an agent changed',
  'agent.create': 'an agent was created',
  'agent.delete': 'an agent was deleted: its tokens ended, its credentials were revoked',
  'agent.disable': 'an agent was disabled: its tokens ended',
  'agent.enable': 'an agent was enabled again',
  'agent.import': 'an agent was imported from another service',
  'api_key.create': 'an API key was created',
  'api_key.revoke': 'an API key was revoked',
  'api_key.rotate': 'an API key got a successor',
  'clock.reset': 'the clock of the store was set back by a command',
  'credential.convert': 'an imported secret was used for the first time, and its foreign hash replaced',
  'credential.create': 'an agent got a credential',
  'credential.revoke': 'a credential was revoked: its tokens ended, unless the request kept them',
  'credential.rotate': 'a secret got a successor',
  'issuer.change': 'settings of a trusted issuer changed',
  'issuer.create': 'an issuer became trusted',
  'issuer.delete': 'a trusted issuer was deleted',
  'issuer.disable': 'a trusted issuer was disabled',
  'issuer.enable': 'a trusted issuer was enabled again',
  'revocation.create': 'many tokens were ended by conditions',
  'session.create': 'an operator signed in at the console',
  'session.end': 'a session of the console ended',
  'signing_key.compromise': 'a signing key was declared compromised: its tokens ended',
  'signing_key.create': 'a signing key was made',
  'signing_key.drop': 'a next key was dropped before it signed',
  'signing_key.import': 'a signing key was imported',
  'signing_key.reencrypt': 'the signing keys were encrypted with another key-encryption key',
  'signing_key.retire': 'a signing key was retired',
  'signing_key.rotate': 'the next key began to sign',
  'store.accept': 'what a restore had suspended was accepted',
  'store.backup': 'a backup was made',
  'store.restore': 'the store was restored: all tokens ended',
  'subject.block': 'a subject of a trusted issuer was blocked: its tokens ended',
  'subject.unblock': 'a blocked subject was unblocked',
  'token.revoke': 'one token was revoked',
  'token.supersede': 'nothing: tokens that their agent superseded have no entry, and the history shows them',
}

/** A page in Markdown. */
export const writeAuditKinds = (): string => `# Kinds of audit entries

\`kind\` of each entry of the audit log. [The audit log](../manage/audit-log.md) says how to read it.

| kind | what was done |
|---|---|
${ACT_KINDS.map(kind => `| \`${kind}\` | ${RECORDED[kind]} |`).join('\n')}

The set is open: a later version may add a kind.
`
