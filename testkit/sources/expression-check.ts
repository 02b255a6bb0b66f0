// Whether a regular expression takes linear time on every text, by recheck: docs/decisions/archive/0057-regular-expressions.md.
import { createRequire } from 'node:module'
import type { checkSync as check, Diagnostics } from 'recheck'

// The build for browsers is JavaScript alone: the other one starts a program that came as an optional package.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as { readonly checkSync: typeof check }

/** No limit of a proof: the longest takes one second of processor time, which may be long on a machine that does much else. */
const MS_MAX = 60_000

/** Counts up to this stand as they are: the automaton has a state for each repetition. */
const COUNT_KEPT_MAX = 8

const PART = /\\.|\[(?:[^\]\\]|\\.)*\]|\{(\d+)(,?)(\d*)\}/g

/** Replaces large counts by `*` or `+`: the expression then has all the ways to match that it has, and more. */
const loosen = (source: string): string =>
  source.replaceAll(PART, (part, least: string | undefined, comma: string, most: string) => {
    if (least === undefined) return part
    const isLarge = Number(most || least) > COUNT_KEPT_MAX
    if (!isLarge) return part
    return Number(least) === 0 && comma !== '' ? '*' : '+'
  })

/** A sticky expression is tried at one place only, as one that starts with `^` is. */
const unsticky = (source: string, flags: string): readonly [source: string, flags: string] =>
  flags.includes('y') ? [`^(?:${source})`, flags.replace('y', '')] : [source, flags]

const describe = (diagnostics: Diagnostics): string =>
  diagnostics.status === 'unknown' ? `unknown: ${diagnostics.error.kind}` : diagnostics.complexity.summary

const ask = (source: string, flags: string, checker: 'automaton' | 'fuzz'): Diagnostics =>
  checkSync(...unsticky(source, flags), { checker, timeout: MS_MAX, randomSeed: 1 })

/**
 * How the expression is known to take linear time: `proven` by an automaton, or `tried` by a search for slow texts, where it has
 * assertions, which the automaton cannot have. Else what is wrong with it.
 */
export const linearity = (source: string, flags: string): 'proven' | 'tried' | { readonly wrong: string } => {
  const loose = loosen(source)
  // A bounded repetition takes bounded time, however the automaton counts it.
  if (loose !== source && ask(loose, flags, 'automaton').status === 'safe') return 'proven'
  const exact = ask(source, flags, 'automaton')
  if (exact.status === 'safe') return 'proven'
  if (exact.status === 'vulnerable' || exact.error.kind !== 'unsupported') return { wrong: describe(exact) }
  const tried = ask(source, flags, 'fuzz')
  return tried.status === 'safe' ? 'tried' : { wrong: describe(tried) }
}
