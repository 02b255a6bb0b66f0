// Packages for npm, as `npm publish FILE` takes them.
import { execFileSync } from 'node:child_process'
import { REPOSITORY } from '../../testkit/sources/source-files.ts'

type Packed = { readonly filename: string }

/** The documentation, which the package of the service holds where it was built. */
const buildSite = (): void =>
  void execFileSync('npm', ['run', '--silent', 'site'], { cwd: REPOSITORY, stdio: 'inherit' })

/** Builds and packs a workspace into the folder; answers the name of the file. */
export const packForNpm = (workspace: string, folder: string): string => {
  const flags = ['--silent', '--ignore-scripts=false', '--json', '--pack-destination', folder, '--workspace', workspace]
  const printed = execFileSync('npm', ['pack', ...flags], {
    cwd: REPOSITORY,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Scripts print before it.
  const [packed] = JSON.parse(printed.slice(printed.search(/^\[/m))) as readonly Packed[]
  if (packed === undefined) throw new Error(`npm pack wrote nothing for ${workspace}.`)
  return packed.filename
}

/** As `packForNpm`, with the documentation in the package of the service: a release has it, the image does not. */
export const packForRelease: typeof packForNpm = (workspace, folder) => {
  if (workspace === 'server') buildSite()
  return packForNpm(workspace, folder)
}
