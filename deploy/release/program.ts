// The program as it is installed: the package for npm, and the packages of others that it needs, in node_modules of a folder.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../../testkit/sources/source-files.ts'
import { dependenciesOf, type Lock } from './shipped.ts'

/** Where the program starts, from the folder that has it. */
export const PROGRAM = 'node_modules/mintmark/bin/mintmark.js'

/** Folders and files at the top of a package that its program does not read. */
const ASIDE = /^\/(?:\.|(?:tests?|spec|bench(?:marks?)?|integration|docs?|examples?)(?:\/|$)|index\.html$)/
/** For those who write programs with a package. Licenses stay. */
const FOR_AUTHORS = /\.(?:map|[cm]?ts|flow)$|\/(?:README|CHANGELOG|HISTORY|CONTRIBUTING)(?:\.[a-z]+)?$/i

/** What no installation loads is left out, as tests. Packages within come by themselves. */
const isLoaded = (path: string): boolean =>
  !ASIDE.test(path) && !FOR_AUTHORS.test(path) && !path.includes('/node_modules') && !/\/\.[^/]+$/.test(path)

/** From where npm installed it to where the program has it: beside the program, or below what needs another version. */
const targetOf = (path: string): string =>
  path.startsWith('server/') ? `node_modules/mintmark/${path.slice('server/'.length)}` : path

/** Lays out the program of a package for npm below `home`. */
export const placeProgram = (home: string, tarball: string, lock: Lock): void => {
  const program = join(home, 'node_modules/mintmark')
  mkdirSync(program, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', program, '--strip-components=1'])
  for (const { path } of dependenciesOf(lock, 'server')) {
    const from = join(REPOSITORY, path)
    cpSync(from, join(home, targetOf(path)), {
      recursive: true,
      filter: source => isLoaded(source.slice(from.length)),
    })
  }
  execFileSync('chmod', ['-R', 'a-x+X,u+w,go=rX', home])
}
