// Records that name their parents, drawn as a tree.
import type { PrintedRecord } from './print.ts'

type Children = ReadonlyMap<unknown, readonly PrintedRecord[]>

const draw = (children: Children, record: PrintedRecord, lead: string): readonly PrintedRecord[] => {
  const below = children.get(record['id']) ?? []
  return below.flatMap((child, n) => {
    const isLast = n + 1 === below.length
    const drawn = { ...child, id: `${lead}${isLast ? '└─ ' : '├─ '}${String(child['id'])}` }
    return [drawn, ...draw(children, child, `${lead}${isLast ? '   ' : '│  '}`)]
  })
}

/** Each record under its parent, its `id` behind the lines of the tree; one whose parent is not among them stands at the left. */
export const drawTree = (records: readonly PrintedRecord[]): readonly PrintedRecord[] => {
  const ids = new Set(records.map(({ id }) => id))
  const children = Map.groupBy(records, ({ parent_id: parent }) => (ids.has(parent) ? parent : null))
  return (children.get(null) ?? []).flatMap(record => [record, ...draw(children, record, '')])
}
