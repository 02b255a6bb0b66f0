// A package of packages/ as others get it: packed, and installed where only its dependencies are.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

type Manifest = { readonly name: string; readonly dependencies?: Readonly<Record<string, string>> }

/** Installs a package into an empty folder, and answers its name and where it stands. */
export const installPacked = (folder: string, workspace: string): { readonly name: string; readonly place: string } => {
  const manifest = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8')) as Manifest
  const { name, dependencies = {} } = manifest
  const flags = ['--silent', '--ignore-scripts=false', '--json', '--pack-destination', folder, '--workspace', workspace]
  const printed = execFileSync('npm', ['pack', ...flags], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })
  const [packed] = JSON.parse(printed.slice(printed.indexOf('['))) as { readonly filename: string }[]
  const place = join(folder, 'node_modules', name)
  mkdirSync(place, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', place, '--strip-components=1'])
  // What is installed here stands for the registry: the check is of our files, not of the network.
  for (const dependency of Object.keys(dependencies)) {
    cpSync(join(ROOT, 'node_modules', dependency), join(folder, 'node_modules', dependency), { recursive: true })
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies: { [name]: '*' } }))
  return { name, place }
}
