// In this folder: syntax and bounds of values: names, scopes, times, ids. Pure; the service, the console and the commands share them.
// What the administration asks of its callers: for each kind of act a permission of an API key, and an operator's role.

export type Access = {
  readonly permission: Permission
  readonly role: Role
  readonly to: string
  /** No part of it is of an audience: an API key that is limited to audiences may do nothing of it. */
  readonly isOfWholeService?: true
}

/** Operators' roles include the ones before them: viewer, operator, admin. */
export const ACCESS = {
  readTokens: { permission: 'tokens:read', role: 'viewer', to: 'read tokens' },
  // What an agent gets is counted for all audiences together.
  readUsage: { permission: 'tokens:read', role: 'viewer', to: 'read usage', isOfWholeService: true },
  revokeTokens: { permission: 'tokens:revoke', role: 'operator', to: 'revoke tokens' },
  // They end tokens for every audience, and are of all audiences together.
  blockSubjects: { permission: 'tokens:revoke', role: 'operator', to: 'block subjects', isOfWholeService: true },
  readSubjects: { permission: 'tokens:read', role: 'viewer', to: 'read blocked subjects', isOfWholeService: true },
  readAgents: { permission: 'agents:read', role: 'viewer', to: 'read agents' },
  // A plan counts tokens for every audience.
  planRecords: { permission: 'agents:read', role: 'viewer', to: 'plan records', isOfWholeService: true },
  // An operator who must end a token now must also be able to stop the agent that gets the next one.
  stopAgents: { permission: 'agents:write', role: 'operator', to: 'stop agents' },
  writeAgents: { permission: 'agents:write', role: 'admin', to: 'change agents' },
  readIssuers: { permission: 'agents:read', role: 'viewer', to: 'read trusted issuers' },
  stopIssuers: { permission: 'issuers:write', role: 'operator', to: 'stop trusted issuers' },
  writeIssuers: { permission: 'issuers:write', role: 'admin', to: 'change trusted issuers' },
  // A key that blocks who leaves is in the hands of a program, and lets nobody in again.
  unblockSubjects: { permission: 'issuers:write', role: 'admin', to: 'unblock subjects' },
  writeKeys: { permission: 'keys:write', role: 'admin', to: 'change keys' },
  // An operator who must decide in an emergency needs to see what signs.
  readSigningKeys: { permission: 'keys:write', role: 'operator', to: 'read signing keys' },
  administerSessions: { permission: 'keys:write', role: 'admin', to: 'administer sessions', isOfWholeService: true },
  // They show where the service is vulnerable, and name the hosts beside it.
  readSettings: { permission: 'keys:write', role: 'admin', to: 'read settings', isOfWholeService: true },
  readAudit: { permission: 'audit:read', role: 'operator', to: 'read the audit log', isOfWholeService: true },
} as const satisfies Readonly<Record<string, Access>>

export const PERMISSIONS = [
  'tokens:introspect',
  'tokens:read',
  'tokens:revoke',
  'agents:read',
  'agents:write',
  'issuers:write',
  'keys:write',
  'audit:read',
] as const

export type Permission = (typeof PERMISSIONS)[number]

/**
 * Whether what it lets a key do is of the whole service: agents, credentials, trusted issuers, signing keys and the audit log have no audience, and
 * their acts end tokens for any. A key that is limited to audiences cannot have it (docs/decisions/archive/0021-limited-keys.md).
 */
export const IS_OF_WHOLE_SERVICE: Readonly<Record<Permission, boolean>> = {
  'tokens:introspect': false,
  'tokens:read': false,
  'tokens:revoke': false,
  'agents:read': false,
  'agents:write': true,
  'issuers:write': true,
  'keys:write': true,
  'audit:read': true,
}

export const isPermission = (text: string): text is Permission => PERMISSIONS.some(permission => permission === text)

/** Operators' roles, each including the ones before it. */
export const ROLES = ['viewer', 'operator', 'admin'] as const

export type Role = (typeof ROLES)[number]
