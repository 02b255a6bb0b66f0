// node deploy/release/image-root.ts FOLDER: lays out the file system of the image: the program, Node with the libraries that it is
// linked with, and nothing else: no shell, no package manager. Runs in the build stage of deploy/Dockerfile, on Debian.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { packForNpm } from './npm-packages.ts'
import { PROGRAM, placeProgram } from './program.ts'
import { readLock } from './shipped.ts'

const NODE = '/usr/local/bin/node'
const EXECUTABLE = 0o755
const STICKY_FOLDER = 0o1777
/** For a user id by itself: `getpwuid` of the C library reads it, and few programs need an entry. */
const PASSWD = 'root:x:0:0:root:/root:/sbin/nologin\nmintmark:x:1000:1000:mintmark:/var/lib/mintmark:/sbin/nologin\n'
const GROUP = 'root:x:0:\nmintmark:x:1000:\n'

/** Without these no scanner compares the packages with the list of Debian's vulnerabilities. */
const RELEASE = ['/etc/os-release', '/etc/debian_version']

const run = (command: string, args: readonly string[]): string => execFileSync(command, args, { encoding: 'utf8' })

const write = (root: string, path: string, content: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const copy = (root: string, from: string, to = from): void => {
  mkdirSync(dirname(join(root, to)), { recursive: true })
  copyFileSync(from, join(root, to))
}

/** Paths of the shared libraries and of the loader that start Node. */
const librariesOf = (program: string): readonly string[] => [
  ...new Set(run('ldd', [program]).match(/\/\S+\.so\S*/g) ?? []),
]

/** What scanners of images read to know which packages of which Debian they find, and the license of each. */
const recordPackages = (root: string, libraries: readonly string[]): void => {
  for (const path of RELEASE) copy(root, path)
  const owners = libraries.map(path => run('dpkg-query', ['--search', `*/${basename(path)}`]).split(':')[0] ?? '')
  for (const name of new Set(owners)) {
    write(root, `var/lib/dpkg/status.d/${name}`, run('dpkg-query', ['--status', name]))
    copy(root, `/usr/share/doc/${name}/copyright`)
  }
}

const placeNode = (root: string): void => {
  copy(root, process.execPath, NODE)
  chmodSync(join(root, NODE), EXECUTABLE)
  const libraries = librariesOf(process.execPath)
  for (const path of libraries) copy(root, path)
  recordPackages(root, libraries)
}

/** The command starts without a shell: the kernel reads its first line. SIGUSR1 must not open a debugger. */
const placeCommand = (root: string): void => {
  const program = join(root, 'app', PROGRAM)
  const text = readFileSync(program, 'utf8')
  writeFileSync(program, text.replace(/^#!.*/, `#!${NODE} --disable-sigusr1`))
  chmodSync(program, EXECUTABLE)
  symlinkSync(`/app/${PROGRAM}`, join(root, 'usr/local/bin/mintmark'))
}

const layOut = (root: string): void => {
  const packed = mkdtempSync(join(tmpdir(), 'mintmark-packed-'))
  placeProgram(join(root, 'app'), join(packed, packForNpm('server', packed)), readLock())
  rmSync(packed, { recursive: true })
  placeNode(root)
  placeCommand(root)
  write(root, 'etc/passwd', PASSWD)
  write(root, 'etc/group', GROUP)
  write(root, 'etc/nsswitch.conf', 'hosts: files dns\n')
  mkdirSync(join(root, 'tmp'))
  chmodSync(join(root, 'tmp'), STICKY_FOLDER)
}

const [root] = process.argv.slice(2)
if (root === undefined) throw new Error('Give the folder to lay out.')
layOut(root)
