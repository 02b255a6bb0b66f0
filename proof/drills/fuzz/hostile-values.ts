// Values that no honest caller sends, for every place of a request.
import type { Random } from '../random.ts'

/** Texts that a store, a log, a CSV or a terminal may not bear. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\uffff',
  '\u202etxt.exe',
  '\u200f\u2066',
  '👩‍👩‍👧‍👦',
  '\u001b[2J\u001b]0;x\u0007',
  '\u0085\u009b31m',
  'a\r\nSet-Cookie: x=1',
  "=cmd|' /C calc'!A0",
  '+1',
  '-1',
  '@x',
  '%00',
  '%',
  '../../etc/passwd',
  "' or 1=1 --",
  '${jndi:ldap://x}',
  '__proto__',
  'constructor',
  '00000000-0000-7000-8000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'x'.repeat(5000),
  'é'.repeat(300),
  'ı',
  'İ',
  'ﬀ',
]

const DEEP = 40
const WIDE = 300

const nested = (depth: number): unknown =>
  depth === 0 ? 1 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) }

const NUMBERS = [0, -0, -1, 1.5, 1e300, -1e300, 2 ** 31, 2 ** 53, 2 ** 63, 5e-324, Number.MAX_SAFE_INTEGER]

const OTHERS: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { constructor: 1 },
  nested(DEEP),
  Array.from({ length: WIDE }, (_, n) => n),
  Object.fromEntries(Array.from({ length: WIDE }, (_, n) => [`k${n}`, n])),
]

export const hostileText = (random: Random): string => random.pick(TEXTS)

export const hostileValue = (random: Random): unknown => {
  if (random.chance(0.5)) return hostileText(random)
  return random.chance(0.5) ? random.pick(NUMBERS) : random.pick(OTHERS)
}
