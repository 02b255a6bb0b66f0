// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ExportAuditQuery = {
  /** Only acts of this kind: agent.change, agent.create, agent.delete, agent.disable, agent.enable, agent.import, api_key.create, api_key.revoke, api_key.rotate, clock.reset, credential.convert, credential.create, credential.revoke, credential.rotate, issuer.change, issuer.create, issuer.delete, issuer.disable, issuer.enable, revocation.create, session.create, session.end, signing_key.compromise, signing_key.create, signing_key.drop, signing_key.import, signing_key.reencrypt, signing_key.retire, signing_key.rotate, store.accept, store.backup, store.restore, subject.block, subject.unblock, token.revoke, token.supersede. */
  readonly kind?:
    | 'agent.change'
    | 'agent.create'
    | 'agent.delete'
    | 'agent.disable'
    | 'agent.enable'
    | 'agent.import'
    | 'api_key.create'
    | 'api_key.revoke'
    | 'api_key.rotate'
    | 'clock.reset'
    | 'credential.convert'
    | 'credential.create'
    | 'credential.revoke'
    | 'credential.rotate'
    | 'issuer.change'
    | 'issuer.create'
    | 'issuer.delete'
    | 'issuer.disable'
    | 'issuer.enable'
    | 'revocation.create'
    | 'session.create'
    | 'session.end'
    | 'signing_key.compromise'
    | 'signing_key.create'
    | 'signing_key.drop'
    | 'signing_key.import'
    | 'signing_key.reencrypt'
    | 'signing_key.retire'
    | 'signing_key.rotate'
    | 'store.accept'
    | 'store.backup'
    | 'store.restore'
    | 'subject.block'
    | 'subject.unblock'
    | 'token.revoke'
    | 'token.supersede'
    | undefined
  /** Only acts of this kind of actor. */
  readonly actor_type?: 'operator' | 'client' | 'api_key' | 'issuer' | 'cli' | 'system' | undefined
  /** Only acts of the client, the API key, the issuer or the user at the terminal of this id. */
  readonly actor_id?: string | undefined
  /** Only acts of operators of this identity provider. */
  readonly actor_iss?: string | undefined
  /** Only acts of the operator whom the identity provider calls so. */
  readonly actor_sub?: string | undefined
  /** Only acts on the agent, credential, key or token of this id, or on the subject ALIAS:SUB. */
  readonly subject?: string | undefined
  /** Only the act that ended the token of this id: on itself, on what it hangs on, or on all of the store. */
  readonly ended_token?: string | undefined
  /** Only acts of this request. */
  readonly request_id?: string | undefined
  /** Only acts of then or later. */
  readonly since?: string | undefined
  /** Only acts of earlier. */
  readonly before?: string | undefined
}

export type ExportHistoryQuery = {
  /** Only tokens of this agent. */
  readonly agent_id?: string | undefined
  /** Only tokens of this client. */
  readonly client_id?: string | undefined
  /** Only tokens that carry this item. */
  readonly scope?: string | undefined
  /** Only tokens issued then or later. */
  readonly issued_after?: string | undefined
  /** Only tokens issued earlier. */
  readonly issued_before?: string | undefined
  /** Only tokens that act on behalf of this agent, or of this subject of a trusted issuer: `ALIAS:SUB`. */
  readonly subject?: string | undefined
  /** Only tokens that were got for this token. */
  readonly parent_id?: string | undefined
  /** Only this token, and all that descend from it. */
  readonly root_id?: string | undefined
  /** Only tokens that were got with this credential. Pages may be short, even empty, with a `next_cursor`. */
  readonly credential_id?: string | undefined
  /** Only tokens that this key signed. Pages may be short, even empty, with a `next_cursor`. */
  readonly kid?: string | undefined
  /** Only tokens for this audience, among others perhaps, in whatever spelling of the URI. Pages may be short, even empty, with a `next_cursor`. */
  readonly audience?: string | undefined
  /** Only tokens of the agents that have this owner now. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly owner?: string | undefined
  /** Only tokens of the agents that have this label now, `key=value`; may repeat. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly label?: readonly string[] | undefined
  /** Only tokens of the agent that has this name now; in history also of those that had it when they were deleted. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly agent_name?: string | undefined
  /** Only tokens that ended for one of these reasons, separated by commas: expired, manual_revocation, bulk_revocation, self_revocation, agent_disabled, agent_deleted, credential_revoked, secret_leaked, key_compromise, scope_removed, audience_removed, superseded, undelivered, restored, ancestor_ended, actor_removed, issuer_disabled, issuer_deleted, subject_blocked, agent_expired. */
  readonly termination_reason?: string | undefined
  /** Only tokens that ended then or later. */
  readonly ended_after?: string | undefined
  /** Only tokens that ended earlier. */
  readonly ended_before?: string | undefined
  /** Only tokens that this one ended: the `sub` of an operator, the `id` of a client, an API key or a user at the terminal, or `system` for the service itself. Pages may be short, even empty, with a `next_cursor`. */
  readonly ended_by?: string | undefined
  /** Only tokens that this revocation of many tokens ended, by themselves or with an ancestor. */
  readonly revocation_id?: string | undefined
}
