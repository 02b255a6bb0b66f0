// Applies patches with git, to a tree that need not be a repository.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'

/** Null where git did it, else what it said. */
export const gitApply = (folder: string, patch: string, ...options: readonly string[]): string | null => {
  // A repository above the folder would make git pass over the patch in silence.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) }
  const done = spawnSync('git', ['apply', ...options, patch], { cwd: folder, env, encoding: 'utf8' })
  if (done.status === 0) return null
  return done.stderr.trim() || String(done.error ?? 'git apply failed.')
}

export const isGitThere = (): boolean => spawnSync('git', ['--version']).status === 0
