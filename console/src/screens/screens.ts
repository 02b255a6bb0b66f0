// The screens, one row each: where it is, what it is called, and the least role that sees it.
import { type ComponentType, lazy } from 'react'
import { ACCESS } from '../../../api/values/access.ts'
import type { Role } from '../reading/service.ts'
import { Overview } from './overview.tsx'

export type Screen = {
  /** The path below the console. */
  readonly path: string
  readonly title: string
  /** The least role that may read what it reads first. */
  readonly least: Role
  /** The key that goes there after `g`. */
  readonly key: string
  readonly Show: ComponentType
}

// The first screen comes with the frame; each other one when it is first shown.
const Agents = lazy(async () => ({ default: (await import('./agents.tsx')).Agents }))
const ApiKeys = lazy(async () => ({ default: (await import('./api-keys.tsx')).ApiKeys }))
const Audit = lazy(async () => ({ default: (await import('./audit.tsx')).Audit }))
const Delegation = lazy(async () => ({ default: (await import('./delegation.tsx')).Delegation }))
const History = lazy(async () => ({ default: (await import('./history.tsx')).History }))
const Issuers = lazy(async () => ({ default: (await import('./issuers.tsx')).Issuers }))
const Settings = lazy(async () => ({ default: (await import('./settings.tsx')).Settings }))
const SigningKeys = lazy(async () => ({ default: (await import('./signing-keys.tsx')).SigningKeys }))
const Subjects = lazy(async () => ({ default: (await import('./subjects.tsx')).Subjects }))
const Tokens = lazy(async () => ({ default: (await import('./tokens.tsx')).Tokens }))
const Verifiers = lazy(async () => ({ default: (await import('./verifiers.tsx')).Verifiers }))

export const SCREENS: readonly Screen[] = [
  { path: '', title: 'Overview', least: ACCESS.readUsage.role, key: 'o', Show: Overview },
  { path: 'tokens', title: 'Tokens', least: ACCESS.readTokens.role, key: 't', Show: Tokens },
  { path: 'history', title: 'History', least: ACCESS.readTokens.role, key: 'h', Show: History },
  { path: 'agents', title: 'Agents', least: ACCESS.readAgents.role, key: 'a', Show: Agents },
  { path: 'delegation', title: 'Delegation', least: ACCESS.readAgents.role, key: 'd', Show: Delegation },
  { path: 'issuers', title: 'Issuers', least: ACCESS.readIssuers.role, key: 'i', Show: Issuers },
  { path: 'subjects', title: 'Subjects', least: ACCESS.readSubjects.role, key: 'u', Show: Subjects },
  { path: 'keys', title: 'Signing keys', least: ACCESS.readSigningKeys.role, key: 'k', Show: SigningKeys },
  { path: 'api-keys', title: 'API keys', least: ACCESS.writeKeys.role, key: 'p', Show: ApiKeys },
  { path: 'verifiers', title: 'Verifiers', least: ACCESS.readTokens.role, key: 'v', Show: Verifiers },
  { path: 'audit', title: 'Audit', least: ACCESS.readAudit.role, key: 'l', Show: Audit },
  { path: 'settings', title: 'Settings', least: ACCESS.readUsage.role, key: 's', Show: Settings },
]
