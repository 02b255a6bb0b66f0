// The reference of why tokens ended: each reason by its name, who sets it, and whether an operator may give it.
import { BULK_REVOCATION_REASONS, type Reason, REASONS, TOKEN_REVOCATION_REASONS } from '../../api/values/reason.ts'

/** What ends a token with this reason. */
const CAUSES: Readonly<Record<Reason, string>> = {
  expired: 'Its lifetime is over. No act ended it, so `ended_by` is null',
  manual_revocation: 'It was revoked alone, by its text or its id',
  bulk_revocation: 'A revocation ended it with all others for which the same conditions hold; `revocation_id` names it',
  self_revocation: 'The client that got it revoked it at `POST /oauth/revoke`',
  agent_disabled: 'Its agent was disabled',
  agent_deleted: 'Its agent was deleted',
  credential_revoked: 'The credential with which it was got was revoked',
  secret_leaked: 'The person who revoked it, or its credential, said so; or its secret was reported as leaked',
  key_compromise: 'The person who revoked it said so; or the key that signed it was declared compromised',
  scope_removed: 'Its agent lost an item of scope that it carries',
  audience_removed: 'Its agent lost an audience that it is for',
  superseded:
    'Its agent got another token at its limit of live tokens, and is set to end its oldest (`at_live_tokens_max`)',
  undelivered: 'Nothing: the name is reserved',
  restored: 'The store was restored from a backup, which ends every token',
  ancestor_ended: 'A token that it was exchanged for, directly or over others, ended; `ancestor_id` names it',
  actor_removed: "The agent that exchanged another's token for it may not act for that one any more",
  issuer_disabled: 'The issuer of its subject was disabled',
  issuer_deleted: 'The issuer of its subject was deleted',
  subject_blocked: 'The subject of an issuer for which it acts was blocked',
  agent_expired: 'Its agent was given an end (`expires_at`) that a live token of it would have outlived',
}

const mayGive = (reason: Reason): string => {
  const lists = [
    [TOKEN_REVOCATION_REASONS, 'for one token'],
    [BULK_REVOCATION_REASONS, 'for many'],
  ] as const
  return lists
    .filter(([reasons]) => reasons.some(one => one === reason))
    .map(([, what]) => what)
    .join(', ')
}

const rowOf = (reason: Reason): string => `| \`${reason}\` | ${CAUSES[reason]} | ${mayGive(reason)} |`

/** A page in Markdown. */
export const writeTerminationReasons = (): string => `# Termination reasons

Why a token ended: \`termination_reason\` in the history, in explanations and in exports, and the filter of the same name.
The first end is the only one: a token has one reason for ever.

| reason | what ended the token | an operator may give it |
|---|---|---|
${(Object.keys(REASONS) as readonly Reason[]).map(rowOf).join('\n')}

The set is open: a later version may add a name. A filter takes names that it does not know, and says so in \`unknown\`.
`
