// Seeds a bug in a file of a tree, and takes it out again.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeededBug } from './seeded-bug.ts'

type Replacement = Pick<SeededBug, 'file' | 'from' | 'to'>

/** Why the text cannot be replaced; null where it stands in its file exactly once. */
export const obstacleTo = (folder: string, { file, from, to }: Replacement): string | null => {
  if (from === to) return 'the replacement changes nothing'
  const found = readFileSync(join(folder, file), 'utf8').split(from).length - 1
  return found === 1 ? null : `${file} has the text ${found} times`
}

/** Seeds the bug; returns what takes it out again. Throws where its text does not stand in its file exactly once. */
export const seedBug = (folder: string, bug: Replacement): (() => void) => {
  const obstacle = obstacleTo(folder, bug)
  if (obstacle !== null) throw new Error(obstacle)
  const path = join(folder, bug.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    text.replace(bug.from, () => bug.to),
  )
  return () => writeFileSync(path, text)
}
