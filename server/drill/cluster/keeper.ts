// Ends what a drill has started once the drill is gone, however it went: a process of its own that waits for the end of
// its standard input, kills everything that works in the drill's folder, and removes the folder unless told to keep it.
import { rmSync } from 'node:fs'
import { killIn } from './processes.ts'

/** What a drill writes to its keeper to have the folder kept. */
export const KEEP_FOLDER = 'keep'

const [, , folder] = process.argv

if (import.meta.main && folder !== undefined) {
  // Ctrl-C is for the drill; its end is what ends this one.
  process.on('SIGINT', () => undefined)
  let told = ''
  for await (const text of process.stdin.setEncoding('utf8')) told += String(text)
  await killIn(folder)
  if (!told.includes(KEEP_FOLDER)) rmSync(folder, { recursive: true, force: true })
}
