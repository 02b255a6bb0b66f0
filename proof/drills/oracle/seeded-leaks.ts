// Leaks that the oracle drill must find: 5 µs in one branch of the service, put there as its source is loaded.

export type SeededLeak = {
  /** The path below `server/src`. */
  readonly file: string
  /** A text that is there exactly once. */
  readonly find: string
  readonly replace: string
  /** The group in which the drill must find it. */
  readonly group: string
  readonly pair: readonly [string, string]
  /** How far the difference of the pair moves, in µs. */
  readonly shiftUs: number
}

const SPIN = 'for (const until = process.hrtime.bigint() + 5000n; process.hrtime.bigint() < until; );'

const MATCHING = 'const matching = findMatching(ports, credentials, client?.credentials ?? [], now)'
const JUDGED = 'if (reference === undefined || token === undefined || token.dead) return INACTIVE'

export const SEEDED_LEAKS = {
  'unknown-client': {
    file: 'operations/authentication/recognize-client.ts',
    find: MATCHING,
    replace: `if (client === undefined) { ${SPIN} } ${MATCHING}`,
    group: 'client secret',
    pair: ['wrong secret', 'unknown client'],
    // The second of the pair is slowed down, and twice: a refusal is decided again on what the store says now.
    shiftUs: -10,
  },
  'expired-token': {
    file: 'operations/tokens/introspect-tokens.ts',
    find: JUDGED,
    replace: `if (token?.dead === true) { ${SPIN} } ${JUDGED}`,
    group: 'inactive token',
    pair: ['expired', 'forged'],
    shiftUs: 5,
  },
} as const satisfies Readonly<Record<string, SeededLeak>>

export type LeakName = keyof typeof SEEDED_LEAKS

export const LEAK_NAMES: readonly LeakName[] = Object.keys(SEEDED_LEAKS) as LeakName[]
export const LEAK_VARIABLE = 'DRILL_SEEDED_LEAK'

const T_MIN = 4.5

/** Whether a difference moved as the seeded leak moves it: half as far at the least, and not twice as far. */
export const isFound = (
  { shiftUs: seeded }: SeededLeak,
  moved: { readonly shiftUs: number; readonly t: number },
): boolean => Math.abs(moved.t) > T_MIN && moved.shiftUs / seeded > 0.5 && moved.shiftUs / seeded < 2

/** Throws where the text is not there exactly once. */
export const applyLeak = ({ find, replace, file }: SeededLeak, source: string): string => {
  if (source.split(find).length !== 2) throw new Error(`The text of a seeded leak is not exactly once in ${file}.`)
  return source.replace(find, () => replace)
}
