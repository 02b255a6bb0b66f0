// The Helm chart as an archive, for `helm push` or a repository of charts.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../../testkit/sources/source-files.ts'

/** Needs helm; answers the name of the file. */
export const packChart = (helm: string, version: string, folder: string): string => {
  const chart = join(REPOSITORY, 'deploy/helm/mintmark')
  // helm names it as npm names the package of the service.
  const aside = mkdtempSync(join(folder, 'chart-'))
  try {
    execFileSync(helm, ['package', chart, '--version', version, '--app-version', version, '--destination', aside], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const name = `mintmark-chart-${version}.tgz`
    renameSync(join(aside, `mintmark-${version}.tgz`), join(folder, name))
    return name
  } finally {
    rmSync(aside, { recursive: true })
  }
}
