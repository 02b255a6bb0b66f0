// The numbers of scopes and audiences, as far as they were used today: then nothing removes them, and no use need be noted.
import { DAY_MS } from '../../../../../api/values/time.ts'
import type { DatabaseClock } from '../connection/clock.ts'
import type { Connection } from '../connection/connection.ts'
import type { ProgramRunner } from '../connection/run-program.ts'
import type { FailOvers } from '../connection/fail-overs.ts'
import type { Transactions } from '../writer/transactions.ts'

const CACHED_MAX = 65_536

const SET = {
  scope: 'select n, used_day as day from scope_set where text = ?',
  audience: 'select n, used_day as day from audience_set where members = ?',
} as const

type Kind = keyof typeof SET

type Kept = { readonly n: number; readonly day: number }

/** The numbers of these texts; undefined for one that is new, or whose use today is not noted yet. */
type KnownSets = (
  connection: Connection,
  kind: Kind,
  texts: readonly string[],
) => Promise<readonly (number | undefined)[]>

type KnownSetsParts = {
  readonly runner: Pick<ProgramRunner, 'ask'>
  readonly transactions: Pick<Transactions, 'read'>
  readonly clock: Pick<DatabaseClock, 'now'>
  readonly onFailOver: FailOvers['onFailOver']
}

export const makeKnownSets = ({ runner, transactions, clock, onFailOver }: KnownSetsParts): KnownSets => {
  const sets = { scope: new Map<string, Kept>(), audience: new Map<string, Kept>() }
  onFailOver(() => {
    sets.scope.clear()
    sets.audience.clear()
  })

  // Known to the standby before it is believed: a deposed primary may have numbers that the next one gives to others.
  const readSets = (connection: Connection, kind: Kind, texts: readonly string[]) =>
    transactions.read(connection, async () => {
      const found: (readonly [text: string, kept: Kept])[] = []
      for (const text of texts) {
        const { rows } = await runner.ask(connection, SET[kind], text)
        const kept = rows[0] as Kept | undefined // as the statement lists it
        if (kept !== undefined) found.push([text, kept])
      }
      return found
    })

  return async (connection, kind, texts) => {
    const today = Math.floor(clock.now() / DAY_MS)
    const numberOf = (kept: Kept | undefined): number | undefined => (kept?.day === today ? kept.n : undefined)
    const numbers = new Map(texts.map(text => [text, numberOf(sets[kind].get(text))]))
    const unknown = [...numbers].flatMap(([text, n]) => (n === undefined ? [text] : []))
    if (unknown.length > 0) {
      if (sets[kind].size + unknown.length > CACHED_MAX) sets[kind].clear()
      for (const [text, kept] of await readSets(connection, kind, unknown)) {
        sets[kind].set(text, kept)
        numbers.set(text, numberOf(kept))
      }
    }
    return texts.map(text => numbers.get(text))
  }
}
