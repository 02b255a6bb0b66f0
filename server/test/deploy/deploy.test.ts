// What deploy/ says of the service must be true of it: its variables, and how long it takes to stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readFiles, readText } from '../../../testkit/sources/source-files.ts'

const COMPOSE = 'deploy/compose.yaml'
const SINGLE = 'deploy/single/compose.yaml'
const UNIT = 'deploy/systemd/mintmark.service'
const SETTINGS = 'deploy/systemd/mintmark.env'
const CLOSE_SECONDS_MAX = 10

const namesIn = (text: string): readonly string[] => [...new Set(text.match(/\bMINTMARK_[A-Z_]+[A-Z]\b/g))]

const secondsIn = (text: string, pattern: RegExp): number => {
  const found = pattern.exec(text)?.[1]
  assert.ok(found !== undefined, `Nothing matches ${pattern}.`)
  return Number(found)
}

test('what is deployed sets only variables that the service reads', () => {
  const config = readFiles('server/src/config/*.ts')
    .map(file => file.text)
    .join('\n')
  const read = namesIn(config).flatMap(name => [name, `${name}_FILE`])
  const set = [
    ...[COMPOSE, SINGLE, UNIT, SETTINGS, 'deploy/debian/mintmark-local'].map(readText),
    ...readFiles('deploy/{kubernetes,helm/mintmark/**}/*.{yaml,tpl,json}').map(file => file.text),
  ].flatMap(namesIn)
  assert.ok(set.includes('MINTMARK_IDP_ISSUER'), 'No variable is found.')
  // The name of the image and the file of the key, which Compose reads itself.
  const strangers = set.filter(name => !read.includes(name) && !/^MINTMARK_(?:IMAGE|KEY_FILE)$/.test(name))
  assert.deepEqual(strangers, [])
})

test('what stops a replica waits for its drain and for what is under way', () => {
  const compose = readText(COMPOSE)
  const drain = secondsIn(compose, /MINTMARK_DRAIN_SECONDS: "(\d+)"/)
  assert.ok(secondsIn(compose, /stop_grace_period: (\d+)s/) > drain + CLOSE_SECONDS_MAX)
  const podDrain = secondsIn(readText('deploy/kubernetes/kustomization.yaml'), /MINTMARK_DRAIN_SECONDS=(\d+)/)
  const grace = secondsIn(readText('deploy/kubernetes/deployment.yaml'), /terminationGracePeriodSeconds: (\d+)/)
  assert.ok(grace > podDrain + CLOSE_SECONDS_MAX)
  const settings = readText(SETTINGS)
  const unitDrain = secondsIn(settings, /MINTMARK_DRAIN_SECONDS=(\d+)/)
  assert.ok(secondsIn(readText(UNIT), /TimeoutStopSec=(\d+)s/) > unitDrain + CLOSE_SECONDS_MAX)
  const single = readText(SINGLE)
  const singleDrain = secondsIn(single, /MINTMARK_DRAIN_SECONDS: "(\d+)"/)
  assert.ok(secondsIn(single, /stop_grace_period: (\d+)s/) > singleDrain + CLOSE_SECONDS_MAX)
})

test('on one machine Compose runs the service without a capability, a writable root or root, and migrates first', () => {
  const { services } = parse(readText(SINGLE), { merge: true }) as { services: Record<string, Record<string, unknown>> }
  assert.deepEqual(Object.keys(services).toSorted(), ['migrate', 'mintmark'])
  for (const service of Object.values(services)) {
    const { user, read_only: isReadOnly, cap_drop: dropped, security_opt: options, volumes } = service
    assert.deepEqual(
      { user, isReadOnly, dropped, options, volumes },
      {
        user: '1000:1000',
        isReadOnly: true,
        dropped: ['ALL'],
        options: ['no-new-privileges:true'],
        volumes: ['store:/var/lib/mintmark'],
      },
    )
  }
  assert.deepEqual(services['mintmark']?.['depends_on'], { migrate: { condition: 'service_completed_successfully' } })
})

// `systemd-analyze security` weighs these; docs/development/checked-by-hand.md has its figure.
test('the unit gives the service two folders to write, a copy of the key, and no privilege', () => {
  const unit = readText(UNIT)
  for (const line of [
    'User=mintmark',
    'StateDirectory=mintmark',
    'CacheDirectory=mintmark',
    'LoadCredential=key:/etc/mintmark/key',
    'Environment=MINTMARK_KEY_ENCRYPTION_KEY_FILE=%d/key',
    'ExecStartPre=/usr/bin/mintmark migrate',
    'ProtectSystem=strict',
    'CapabilityBoundingSet=',
    'NoNewPrivileges=true',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged @resources',
  ])
    assert.ok(unit.split('\n').includes(line), line)
  assert.doesNotMatch(unit, /^(?:ReadWritePaths|BindPaths|AmbientCapabilities=.+|MemoryDenyWriteExecute)/m)
})

test('the unit starts the service again where a reload came before it handled one', () => {
  const unit = readText(UNIT)
  assert.match(unit, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
  assert.match(unit, /^RestartForceExitStatus=SIGHUP$/m)
})

test('the Debian package places the files of deploy/, and its scripts and commands name what it places', () => {
  const builder = readText('deploy/release/debian-package.ts')
  for (const path of [
    SETTINGS,
    UNIT,
    'deploy/debian/mintmark',
    'deploy/debian/mintmark-local',
    'deploy/debian/copyright',
  ])
    assert.ok(builder.includes(`readText('${path}')`), path)
  for (const name of ['mintmark', 'mintmark-local']) {
    const command = readText(`deploy/debian/${name}`)
    assert.match(command, /\/usr\/lib\/mintmark\/bin\/node/)
    assert.match(command, /\/usr\/lib\/mintmark\/node_modules\/mintmark\/bin\/mintmark\.js "\$@"/)
  }
  assert.match(readText('deploy/debian/postinst'), /\/etc\/mintmark\/key/)
  assert.match(readText('deploy/debian/postrm'), /purge[^]*\/var\/lib\/mintmark \/var\/cache\/mintmark \/etc\/mintmark/)
})
