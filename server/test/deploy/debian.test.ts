// deploy/debian: what the scripts of the package do to a machine, here a folder. The real dpkg runs them in deploy/check-bare.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { readText } from '../../../testkit/sources/source-files.ts'

const SETTINGS = 'etc/mintmark/mintmark.env'
const DEFAULTS = 'usr/share/mintmark/mintmark.env'
/** Of the program `install`, what only root can do is left out. */
const INSTALL = `while getopts o:g:m:d option; do case $option in m) mode=$OPTARG ;; d) folder=-d ;; esac; done
shift $((OPTIND - 1))
exec /usr/bin/install $folder -m "$mode" "$@"`

/** A machine on which nothing is installed yet; each command is written down. */
const makeMachine = (t: TestContext) => {
  const root = mkdtempSync(join(tmpdir(), 'mintmark-debian-test-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['etc/mintmark', 'usr/share/mintmark', 'var/lib', 'var/cache', 'bin'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, DEFAULTS), 'PORT=8080\n')
  const log = join(root, 'log')
  const stub = (name: string, body = 'exit 0'): void =>
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\necho "${name} $*" >>'${log}'\n${body}\n`, { mode: 0o755 })
  for (const name of ['adduser', 'deb-systemd-helper', 'deb-systemd-invoke', 'systemctl']) stub(name)
  stub('dpkg-statoverride', 'exit 1')
  stub('install', INSTALL)
  const run = (script: string, ...args: readonly string[]): void => {
    const text = readText(`deploy/debian/${script}`).replaceAll(/(?<![\w.])\/(?=(?:etc|usr|var|run)\/)/g, `${root}/`)
    execFileSync('/bin/sh', ['-c', text, script, ...args], { env: { PATH: `${root}/bin:/usr/bin:/bin` } })
  }
  return {
    root,
    stub,
    run,
    write: (path: string, text: string) => writeFileSync(join(root, path), text),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    commands: () =>
      existsSync(log) ? readFileSync(log, 'utf8').replaceAll(`${root}/`, '/').trimEnd().split('\n') : [],
  }
}

test('the settings are made once and are no conffile, so that an upgrade asks nothing', t => {
  const { root, run, write, read, commands } = makeMachine(t)
  run('postinst', 'configure', '')
  assert.equal(read(SETTINGS), 'PORT=8080\n')
  assert.ok(commands().some(line => line.startsWith('install -g mintmark -m 640 /usr/share/mintmark/mintmark.env ')))
  write(SETTINGS, 'PORT=9090\n')
  run('postinst', 'configure', '0.1.0')
  assert.equal(read(SETTINGS), 'PORT=9090\n')
  rmSync(join(root, SETTINGS))
  symlinkSync('/nowhere', join(root, SETTINGS))
  run('postinst', 'configure', '0.1.0')
  assert.ok(lstatSync(join(root, SETTINGS)).isSymbolicLink(), 'Its disk may not be mounted.')
  const builder = readText('deploy/release/debian-package.ts')
  assert.doesNotMatch(builder, /conffiles/)
  assert.ok(builder.includes(`'${DEFAULTS}'`))
})

test('the service is restarted and stopped only as policy-rc.d allows, and its failure leaves no package half-configured', t => {
  const { root, stub, run, commands } = makeMachine(t)
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  for (const name of ['deb-systemd-helper', 'deb-systemd-invoke', 'systemctl']) stub(name, 'exit 1')
  run('postinst', 'configure', '')
  assert.ok(!commands().some(line => line.startsWith('deb-systemd-invoke')), 'An installation starts nothing.')
  run('postinst', 'configure', '0.1.0')
  run('prerm', 'upgrade', '0.1.1')
  run('prerm', 'remove')
  run('postrm', 'remove')
  const asked = (name: string) => commands().filter(line => line.startsWith(name))
  assert.deepEqual(asked('deb-systemd-invoke'), [
    'deb-systemd-invoke try-restart mintmark.service',
    'deb-systemd-invoke stop mintmark.service',
  ])
  assert.deepEqual([...new Set(asked('systemctl'))], ['systemctl --system daemon-reload'])
})

test('a folder that is there keeps its mode at an upgrade, and one that is made has that of dpkg-statoverride', t => {
  const { root, stub, run, commands } = makeMachine(t)
  const made = () => commands().filter(line => line.startsWith('install -d'))
  mkdirSync(join(root, 'var/lib/mintmark'))
  chmodSync(join(root, 'var/lib/mintmark'), 0o750)
  symlinkSync('/nowhere', join(root, 'var/cache/mintmark'))
  run('postinst', 'configure', '0.1.0')
  assert.deepEqual(made(), [])
  assert.equal(statSync(join(root, 'var/lib/mintmark')).mode & 0o777, 0o750)
  rmSync(join(root, 'var/cache/mintmark'))
  run('postinst', 'configure', '0.1.0')
  rmSync(join(root, 'var/lib/mintmark'), { recursive: true })
  stub('dpkg-statoverride', 'echo "mintmark #4711 2750 $2"')
  run('postinst', 'configure', '0.1.0')
  assert.deepEqual(made(), [
    'install -d -o mintmark -g mintmark -m 700 /var/cache/mintmark',
    'install -d -o mintmark -g 4711 -m 2750 /var/lib/mintmark',
  ])
})
