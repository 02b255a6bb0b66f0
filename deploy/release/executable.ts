// The single executable: Node 24 with the program in it (nodejs.org/api/single-executable-applications.html). Not Node 26, which needs
// libatomic.so.1: a bare Debian lacks it.
import { execFileSync, type StdioOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { REPOSITORY } from '../../testkit/sources/source-files.ts'
import { PROGRAM, placeProgram } from './program.ts'
import type { Lock } from './shipped.ts'

type Given = {
  readonly version: string
  /** The package for npm. */
  readonly tarball: string
  readonly lock: Lock
  /** Where the result goes. */
  readonly folder: string
}

export type Processor = 'x64' | 'arm64'

/** Puts the program into Node's executable; made by the authors of Node. */
const POSTJECT = 'postject@1.0.0-alpha.6'
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const ZSTD_LEVEL = 19

const stdio: StdioOptions = ['ignore', 'ignore', 'inherit']

/** The Node 24 of runtime/, with the checksum of its lock file. */
const fetchNode = (folder: string, processor: Processor): string => {
  const place = join(folder, processor)
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(join(REPOSITORY, 'runtime', name), join(place, name), { recursive: true })
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--os=linux', `--cpu=${processor}`]
  execFileSync('npm', ['ci', ...flags], { cwd: place, stdio })
  return join(place, `node_modules/node-linux-${processor}/bin/node`)
}

const filesBelow = (folder: string): readonly string[] =>
  globSync('**', { cwd: folder })
    .filter(path => statSync(join(folder, path)).isFile())
    .toSorted()

/** The name of the folder that the program is unpacked into has a digest: each build has a folder of its own. */
const readProgram = (home: string, version: string) => {
  const paths = filesBelow(home)
  const contents = paths.map(path => readFileSync(join(home, path)))
  const files = paths.map((path, n) => [path, contents[n]?.length ?? 0] as const)
  const content = Buffer.concat(contents)
  const digest = createHash('sha256').update(JSON.stringify(files)).update(content).digest('hex').slice(0, 16)
  return { index: { name: `program-${version}-${digest}`, files }, content }
}

const buildMain = (folder: string): void => {
  const config = join(REPOSITORY, 'deploy/executable/vite.config.ts')
  execFileSync('npm', ['exec', '--', 'vite', 'build', '--config', config, '--outDir', folder], {
    cwd: REPOSITORY,
    stdio,
  })
}

/** What Node reads from its own executable. */
const writeBlob = (node: string, folder: string, { version, tarball, lock }: Given): string => {
  const home = join(folder, 'program')
  placeProgram(home, tarball, lock)
  writeFileSync(join(home, 'start.cjs'), `import('./${PROGRAM}')\n`)
  const { index, content } = readProgram(home, version)
  const assets = { index: join(folder, 'index.json'), content: join(folder, 'content.zst') }
  writeFileSync(assets.index, JSON.stringify(index))
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL }
  writeFileSync(assets.content, zstdCompressSync(content, { params }))
  buildMain(join(folder, 'main'))
  const config = {
    // Relative: Node writes it into the blob, and two builds of one commit shall be equal.
    main: 'main/main.cjs',
    output: 'blob',
    assets,
    disableExperimentalSEAWarning: true,
    // SIGUSR1 must not open a debugger, not even before the program handles it.
    execArgv: ['--disable-sigusr1'],
  }
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config))
  execFileSync(node, ['--experimental-sea-config', 'sea.json'], { cwd: folder, stdio })
  return join(folder, 'blob')
}

/** For Linux; needs npm and its registry. Answers the name of the file. */
export const buildExecutable = (given: Given, processor: Processor): string => {
  const here = process.arch
  if (process.platform !== 'linux' || !(here === 'x64' || here === 'arm64'))
    throw new Error('The executables are built on Linux, on x64 or arm64.')
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-executable-'))
  try {
    const node = fetchNode(folder, here)
    const target = processor === here ? node : fetchNode(folder, processor)
    const blob = writeBlob(node, folder, given)
    const name = `mintmark-${given.version}-linux-${processor}`
    const file = join(given.folder, name)
    cpSync(target, file)
    const postject = ['--yes', '--package', POSTJECT, '--', 'postject']
    execFileSync('npm', ['exec', ...postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    return name
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
