// Notices that the files of the store were taken away or replaced under a running service: what it wrote from then on
// would be gone at the next start.
import { statSync } from 'node:fs'
import { Unavailable } from '../../../domain/refusal.ts'

const identityOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Call it with the store open and read once; the function it gives throws Unavailable where a file is another one. */
export const guardFiles = (file: string): (() => void) => {
  const paths = [file, `${file}-wal`]
  const opened = paths.map(identityOf)
  return () => {
    const n = paths.findIndex((path, index) => identityOf(path) !== opened[index])
    if (n === -1) return
    throw new Unavailable(`${paths[n]} was removed or replaced while the service runs: stop it and restore a backup.`)
  }
}
