// The role that an identity provider's JWT gives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../../api/values/access.ts'
import { operatorRole } from '../../src/keys/providers/identity-providers.ts'

const roles: Readonly<Record<string, Role>> = {
  'mintmark-viewer': 'viewer',
  'mintmark-operator': 'operator',
  'mintmark-admin': 'admin',
  'Token Admins': 'admin',
}

const CASES: readonly (readonly [string, string, object, Role | null])[] = [
  ['an array', 'roles', { roles: ['x', 'mintmark-viewer'] }, 'viewer'],
  ['a string', 'roles', { roles: 'mintmark-operator' }, 'operator'],
  ['a string with a role of ours among its words', 'roles', { roles: 'x mintmark-admin' }, null],
  ['a string with a role of ours between commas', 'roles', { roles: 'x,mintmark-admin' }, null],
  ['an array of such strings', 'roles', { roles: ['x mintmark-admin', 'x,mintmark-admin'] }, null],
  ['a string that holds a space itself', 'roles', { roles: 'Token Admins' }, 'admin'],
  ['several roles, of which the highest counts', 'roles', { roles: ['mintmark-admin', 'mintmark-viewer'] }, 'admin'],
  ['no role of ours', 'roles', { roles: ['admin', 'viewer'] }, null],
  ['part of a role', 'roles', { roles: ['mintmark-operator2', 'mintmark-op'] }, null],
  ['a role in other letters', 'roles', { roles: ['Mintmark-Admin'] }, null],
  ['no such claim', 'roles', {}, null],
  ['null', 'roles', { roles: null }, null],
  ['an object', 'roles', { roles: { 'mintmark-admin': true } }, null],
  ['things that are no strings', 'roles', { roles: [1, null, ['mintmark-admin'], {}] }, null],
  ['the name of an inherited member', 'roles', { roles: ['constructor', '__proto__', 'toString'] }, null],
  ['a path', 'realm_access.roles', { realm_access: { roles: ['mintmark-admin'] } }, 'admin'],
  ['a path that ends early', 'realm_access.roles', { realm_access: 'mintmark-admin' }, null],
  ['a path through an array', 'a.0', { a: ['mintmark-admin'] }, null],
  ['a name with dots', 'https://x.test/roles', { 'https://x.test/roles': ['mintmark-viewer'] }, 'viewer'],
  [
    'an exact name, which goes before the path',
    'a.b',
    { 'a.b': 'mintmark-viewer', a: { b: 'mintmark-admin' } },
    'viewer',
  ],
  ['an inherited claim', 'constructor.name', {}, null],
]

for (const [name, roleClaim, payload, role] of CASES) {
  test(`a role claim with ${name} gives ${role ?? 'no role'}`, () => {
    assert.equal(operatorRole({ ...payload }, { roleClaim, roles, roleSeparator: 'none' }), role)
  })
}

const LISTS: readonly (readonly ['space' | 'comma', unknown, Role | null])[] = [
  ['space', 'x mintmark-operator mintmark-viewer', 'operator'],
  ['space', 'mintmark-operator', 'operator'],
  ['space', ' mintmark-viewer ', 'viewer'],
  ['space', 'x,mintmark-admin', null],
  ['space', 'x\tmintmark-admin', null],
  ['space', 'x\u00a0mintmark-admin', null],
  ['space', 'Token Admins', null],
  ['comma', 'x,mintmark-operator', 'operator'],
  ['comma', 'x, mintmark-operator ,mintmark-viewer', 'operator'],
  ['comma', 'x mintmark-admin', null],
  ['comma', 'Token Admins,x', 'admin'],
  ['space', ['x mintmark-admin'], null],
  ['comma', ['x,mintmark-admin'], null],
  ['space', ['mintmark-viewer', 7], 'viewer'],
]

for (const [roleSeparator, claim, role] of LISTS) {
  test(`separated by ${roleSeparator}, a role claim with ${JSON.stringify(claim)} gives ${role ?? 'no role'}`, () => {
    assert.equal(operatorRole({ roles: claim }, { roleClaim: 'roles', roles, roleSeparator }), role)
  })
}
