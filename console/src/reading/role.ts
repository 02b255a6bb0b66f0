// The role of the signed-in operator, for what is shown; the service judges each request by itself.
import { createContext, useContext } from 'react'
import { type Access, ROLES } from '../../../api/values/access.ts'
import type { Role } from './service.ts'

export const RoleContext = createContext<Role>('viewer')

export const useRole = (): Role => useContext(RoleContext)

/** Roles include the ones before them. */
export const includes = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least)

/** Whether the operator may do what asks for this. */
export const useMay = ({ role }: Pick<Access, 'role'>): boolean => includes(useRole(), role)
