// The numbers of scopes and audiences, as far as they were used today: then nothing removes them, and no use need be noted.
import { DAY_MS } from '../../domain/time.ts'
import type { Connection } from './connection.ts'
import type { Session } from './session.ts'

const REMEMBERED_MAX = 65_536

const SET = {
  scope: 'select n, used_day as day from scope_set where text = ?',
  audience: 'select n, used_day as day from audience_set where members = ?',
} as const

type Kind = keyof typeof SET

type Kept = { readonly n: number; readonly day: number }

/** The numbers of these texts; undefined for one that is new, or whose use today is not noted yet. */
export type KnownSets = (
  connection: Connection,
  kind: Kind,
  texts: readonly string[],
) => Promise<readonly (number | undefined)[]>

export const makeKnownSets = ({ driver, clock, onFailOver }: Session): KnownSets => {
  const sets = { scope: new Map<string, Kept>(), audience: new Map<string, Kept>() }
  onFailOver(() => {
    sets.scope.clear()
    sets.audience.clear()
  })

  /** The number of a set that was used today; undefined where it is new, or its use must be noted. */
  const numberOf = async (connection: Connection, kind: Kind, text: string): Promise<number | undefined> => {
    const today = Math.floor(clock.now() / DAY_MS)
    const known = sets[kind].get(text)
    if (known?.day === today) return known.n
    const { rows } = await driver.ask(connection, SET[kind], text)
    const found = rows[0] as Kept | undefined
    if (found?.day !== today) return undefined
    if (sets[kind].size >= REMEMBERED_MAX) sets[kind].clear()
    sets[kind].set(text, found)
    return found.n
  }

  return async (connection, kind, texts) => {
    const numbers = new Map<string, number | undefined>()
    for (const text of new Set(texts)) numbers.set(text, await numberOf(connection, kind, text))
    return texts.map(text => numbers.get(text))
  }
}
