// Uses of tokens by API key: who asked about them, or accepted them.
import type { ListUsesRecord } from '../../../packages/client/src/index.ts'

type Gathered = {
  readonly key: string
  readonly name: string
  readonly introspections: number
  readonly afterEnd: number
  readonly uses: number
  readonly last: string
}

const nameOf = ({ api_key_name: name, api_key_id: id }: ListUsesRecord): string => name ?? id ?? 'others'

export const gatherByKey = (rows: readonly ListUsesRecord[]): readonly Gathered[] => {
  const gathered = new Map<string, Gathered>()
  for (const row of rows) {
    const key = row.api_key_id ?? ''
    const before = gathered.get(key)
    gathered.set(key, {
      key,
      name: before?.name ?? nameOf(row),
      introspections: (before?.introspections ?? 0) + row.introspections,
      afterEnd: (before?.afterEnd ?? 0) + row.after_end,
      uses: (before?.uses ?? 0) + row.uses,
      last: before === undefined || row.last_used_at > before.last ? row.last_used_at : before.last,
    })
  }
  return [...gathered.values()].toSorted((a, b) => (a.last < b.last ? 1 : -1))
}
