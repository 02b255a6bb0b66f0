// Ends what a drill has started once the drill is gone, however it went: a process of its own that waits for the end of
// its standard input, kills everything that works in the drill's folder, and removes the folder unless it was asked to keep it.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { killIn } from '../../../testkit/processes/processes.ts'

/** What a drill writes to this process to have the folder kept. */
export const KEEP_FOLDER = 'keep'

const [, , folder] = process.argv

/** The disks of its own that a drill has mounted there. */
const unmountIn = (top: string): void => {
  const places = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .flatMap(line => line.split(' ').slice(1, 2))
  for (const place of places) if (place.startsWith(`${top}/`)) spawnSync('umount', ['--lazy', place])
}

if (import.meta.main && folder !== undefined) {
  // Ctrl-C is for the drill; its end is what ends this one.
  process.on('SIGINT', () => undefined)
  let reported = ''
  for await (const text of process.stdin.setEncoding('utf8')) reported += String(text)
  await killIn(folder)
  unmountIn(folder)
  if (!reported.includes(KEEP_FOLDER)) rmSync(folder, { recursive: true, force: true })
}
