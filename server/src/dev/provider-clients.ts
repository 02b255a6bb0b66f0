// The clients of the development identity provider: one for each role, so that the role shows in `sub` and in history.
import type { Role } from '../../../api/values/access.ts'

export const clientIdOf = (role: Role): string => `dev-${role}`

export const issuerAt = (port: number): string => `http://127.0.0.1:${port}`
