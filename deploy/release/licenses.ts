// The licenses under which we ship packages of others. Another one is a decision: read it, then add it here.
import type { Shipped } from './shipped.ts'

/** SPDX identifiers: permissive, and compatible with Apache-2.0. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
])

/** One of the alternatives suffices (SPDX 2.3, annex D: `OR`); an expression of another form must be on the list as a whole. */
const isAllowed = (license: string): boolean =>
  license
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some(one => ALLOWED.has(one))

/** `name@version: license` of each package whose license is missing or not allowed. */
export const refusedLicenses = (shipped: readonly Shipped[]): readonly string[] =>
  shipped
    .filter(({ license }) => license === undefined || !isAllowed(license))
    .map(({ name, version, license }) => `${name}@${version}: ${license ?? 'no license'}`)
