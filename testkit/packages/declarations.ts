// The types that a package publishes: none may be `any`, which would silence the compiler of its users.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const LINTER = join(import.meta.dirname, '../../node_modules/oxlint/bin/oxlint')
const CONFIG = join(import.meta.dirname, 'no-any.json')

/** What the linter says of each `any` in the declarations of an installed package; null where there is none. */
export const declarationsWithAny = (place: string): string | null => {
  const options = { cwd: place, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [LINTER, '-c', CONFIG, '--no-ignore', 'dist'], options)
  // Without files the linter is content too.
  if (status === 0 && /on [1-9]\d* files/.test(stdout)) return null
  return (stdout + stderr).trim()
}
