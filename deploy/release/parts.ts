// What a release consists of.
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeDashboard } from '../grafana/dashboard.ts'
import { packChart } from './chart.ts'
import { buildDebianPackage } from './debian-package.ts'
import { buildExecutable, type Processor } from './executable.ts'
import { buildImage } from './image.ts'
import { packForNpm, packForRelease } from './npm-packages.ts'
import { readProduct, readSourceDate } from './product.ts'
import { formatSbom } from './sbom.ts'
import { bundledInConsole, bundledInGuide, dependenciesOf, type Lock, readLock, type Shipped } from './shipped.ts'

export type Release = {
  /** Where everything goes. */
  readonly folder: string
  readonly version: string
  /** Seconds since 1970. */
  readonly sourceDate: number
  readonly lock: Lock
  /** What others wrote and we ship. */
  readonly shipped: readonly Shipped[]
  /** In CycloneDX. */
  readonly sbom: string
  /** Packs the package of the service for npm, once, and answers its path. */
  readonly packService: () => string
}

export type Part = {
  /** A program that does not come with npm. */
  readonly needs?: string
  /** Takes minutes. */
  readonly isSlow?: boolean
  /** Answers the name of the file that it wrote; `program`: the path of what it needs. */
  readonly build: (release: Release, program: string) => string
}

/** What lies in the folder already may be of another commit, under the same version. */
const packOnce = (folder: string, pack: typeof packForNpm) => {
  let tarball: string | undefined
  return () => (tarball ??= join(folder, pack('server', folder)))
}

export const readRelease = (folder: string, pack = packForRelease): Release => {
  const product = readProduct()
  const [sourceDate, lock] = [readSourceDate(), readLock()]
  const shipped = [...dependenciesOf(lock, 'server'), ...bundledInConsole(lock), ...bundledInGuide(lock)]
  const direct = Object.keys(lock['server']?.dependencies ?? {}).map(name => `node_modules/${name}`)
  const sbom = formatSbom(product, shipped, { direct, at: new Date(sourceDate * 1000) })
  const packService = packOnce(folder, pack)
  return { folder, version: product.version, sourceDate, lock, shipped, sbom, packService }
}

const writeSbom = ({ folder, version, sbom }: Release): string => {
  const name = `mintmark-${version}-sbom.cdx.json`
  writeFileSync(join(folder, name), sbom)
  return name
}

const writeGrafana = ({ folder, version }: Release): string => {
  const name = `mintmark-dashboard-${version}.json`
  writeDashboard(join(folder, name))
  return name
}

const withTarball = (release: Release) => ({ ...release, tarball: release.packService() })

const executableFor = (processor: Processor): Part => ({
  isSlow: true,
  build: release => buildExecutable(withTarball(release), processor),
})

export const PARTS: Readonly<Record<string, Part>> = {
  mintmark: { build: ({ packService }) => basename(packService()) },
  client: { build: ({ folder }) => packForNpm('packages/client', folder) },
  verify: { build: ({ folder }) => packForNpm('packages/verify', folder) },
  gateway: { build: ({ folder }) => packForNpm('packages/gateway', folder) },
  sbom: { build: writeSbom },
  dashboard: { build: writeGrafana },
  chart: { needs: 'helm', build: ({ folder, version }, helm) => packChart(helm, version, folder) },
  debian: { needs: 'dpkg-deb', isSlow: true, build: release => buildDebianPackage(withTarball(release)) },
  'executable-x64': executableFor('x64'),
  'executable-arm64': executableFor('arm64'),
  image: {
    needs: 'buildah',
    isSlow: true,
    build: ({ folder, version }, buildah) => buildImage(buildah, version, folder),
  },
}
