// The Debian package: the program, its production dependencies, and the Node.js that npm brings. Nothing of the distribution but its C library.
import { execFileSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readText, REPOSITORY } from '../../testkit/sources/source-files.ts'
import { placeProgram } from './program.ts'
import type { Lock } from './shipped.ts'

type Given = {
  readonly version: string
  /** Seconds since 1970. */
  readonly sourceDate: number
  /** The package for npm. */
  readonly tarball: string
  readonly sbom: string
  readonly lock: Lock
  /** Where the result goes. */
  readonly folder: string
}

const SOURCES = join(REPOSITORY, 'deploy/debian')
const HOME = 'usr/lib/mintmark'
const DOCS = 'usr/share/doc/mintmark'
const SCRIPTS = ['postinst', 'prerm', 'postrm'] as const
const READABLE = 0o644
const EXECUTABLE = 0o755

/** By Node's name of a processor: Debian's. */
const ARCHITECTURES: Readonly<Partial<Record<string, string>>> = { x64: 'amd64', arm64: 'arm64' }

const place = (root: string, path: string, content: string | Uint8Array, mode = READABLE): void => {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, mode)
}

const placeNode = (root: string, processor: string): void => {
  const node = join(REPOSITORY, `node_modules/node-linux-${processor}`)
  place(root, `${HOME}/bin/node`, readFileSync(join(node, 'bin/node')), EXECUTABLE)
  place(root, `${DOCS}/node-LICENSE.gz`, gzipSync(readFileSync(join(node, 'LICENSE')), { level: 9 }))
}

const formatChangelog = (version: string, sourceDate: number): string =>
  `mintmark (${version}) stable; urgency=medium

  * https://github.com/mintmark/mintmark/blob/main/CHANGELOG.md

 -- The Mintmark maintainers <maintainers@mintmark.invalid>  ${new Date(sourceDate * 1000).toUTCString().replace('GMT', '+0000')}
`

const placeRest = (root: string, { version, sourceDate, sbom }: Given): void => {
  const settings = readText('deploy/systemd/mintmark.env')
  mkdirSync(join(root, 'etc/mintmark'), { recursive: true })
  // postinst copies it to /etc, once.
  place(root, 'usr/share/mintmark/mintmark.env', settings)
  place(root, 'usr/lib/systemd/system/mintmark.service', readText('deploy/systemd/mintmark.service'))
  place(root, 'usr/bin/mintmark', readText('deploy/debian/mintmark'), EXECUTABLE)
  place(root, 'usr/sbin/mintmark-local', readText('deploy/debian/mintmark-local'), EXECUTABLE)
  // Node takes it for a module by its name alone.
  place(root, `${HOME}/print-settings.mts`, readText('deploy/debian/print-settings.ts'))
  place(root, 'usr/share/lintian/overrides/mintmark', readText('deploy/debian/lintian-overrides'))
  place(root, `${DOCS}/copyright`, readText('deploy/debian/copyright'))
  place(root, `${DOCS}/changelog.gz`, gzipSync(formatChangelog(version, sourceDate), { level: 9 }))
  place(root, `${DOCS}/sbom.cdx.json.gz`, gzipSync(sbom, { level: 9 }))
}

const kilobytesBelow = (root: string): number =>
  Math.ceil(
    globSync('**', { cwd: root })
      .map(path => statSync(join(root, path)))
      .reduce((bytes, { size }) => bytes + size, 0) / 1024,
  )

/** Debian sorts what follows `~` before the version itself, as semantic versioning sorts what follows `-`. */
const debianVersionOf = (version: string): string => version.replace('-', '~')

const placeControl = (root: string, version: string, architecture: string): void => {
  const kilobytes = kilobytesBelow(root)
  const control = readText('deploy/debian/control')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@KILOBYTES@', String(kilobytes))
  place(root, 'DEBIAN/control', control)
  for (const script of SCRIPTS) place(root, `DEBIAN/${script}`, readFileSync(join(SOURCES, script)), EXECUTABLE)
}

/** Needs dpkg-deb, on Linux; answers the name of the file. */
export const buildDebianPackage = (given: Given): string => {
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined) throw new Error(`There is no Debian package for ${process.arch}.`)
  const version = debianVersionOf(given.version)
  const root = mkdtempSync(join(tmpdir(), 'mintmark-debian-'))
  try {
    placeProgram(join(root, HOME), given.tarball, given.lock)
    placeNode(root, process.arch)
    placeRest(root, { ...given, version })
    placeControl(root, version, architecture)
    const name = `mintmark_${version}_${architecture}.deb`
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z3', '--build', root, join(given.folder, name)], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(given.sourceDate) },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return name
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
