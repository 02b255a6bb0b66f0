// The reference of what each operation needs: the permission of an API key, the role of an operator, or another caller.
import type { Caller, Operation } from '../../api/operation.ts'
import { OPERATIONS } from '../../api/operations.ts'
import { type Access, IS_OF_WHOLE_SERVICE } from '../../api/values/access.ts'

const OTHERS: Readonly<Record<Exclude<Caller, Access>, string>> = {
  anyone: 'anybody',
  client: 'a client',
  introspector: 'an API key with `tokens:introspect`',
  issuer: 'a trusted issuer, by a JWT of its own',
  revoker: 'the client that got the token, or an operator with the role operator',
}

/** Whether an API key that is limited to audiences may ask for it. */
export const isForLimited = ({ permission, isOfWholeService }: Access): boolean =>
  isOfWholeService !== true && !IS_OF_WHOLE_SERVICE[permission]

const needs = (access: Caller): string => {
  if (typeof access === 'string') return `${OTHERS[access]} | |`
  return `\`${access.permission}\`, or the role ${access.role} | ${isForLimited(access) ? 'yes' : 'no'} |`
}

const rowOf = ({ route, summary, access }: Operation): string => `| \`${route}\` | ${summary} | ${needs(access)}`

/** A page in Markdown. */
export const writePermissions = (): string => `# What each operation needs

[Permissions and roles](../security/permissions.md) says what these are. A limited key is an API key that is limited to audiences.

| operation | what it does | needs | limited key |
|---|---|---|---|
${OPERATIONS.map(rowOf).join('\n')}
`
