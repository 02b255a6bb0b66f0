// What deploy/ says of the service must be true of it: its variables, and how long it takes to stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFiles, readText } from '../../testkit/sources/source-files.ts'

const COMPOSE = 'deploy/compose.yaml'
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
  const set = [readText(COMPOSE), ...readFiles('deploy/kubernetes/*.yaml').map(file => file.text)].flatMap(namesIn)
  assert.ok(set.includes('MINTMARK_IDP_ISSUER'), 'No variable is found.')
  // The name of the image, which compose.yaml reads itself.
  const strangers = set.filter(name => !read.includes(name) && name !== 'MINTMARK_IMAGE')
  assert.deepEqual(strangers, [])
})

test('whoever stops a replica waits for its drain and for what is under way', () => {
  const compose = readText(COMPOSE)
  const drain = secondsIn(compose, /MINTMARK_DRAIN_SECONDS: "(\d+)"/)
  assert.ok(secondsIn(compose, /stop_grace_period: (\d+)s/) > drain + CLOSE_SECONDS_MAX)
  const podDrain = secondsIn(readText('deploy/kubernetes/kustomization.yaml'), /MINTMARK_DRAIN_SECONDS=(\d+)/)
  const grace = secondsIn(readText('deploy/kubernetes/deployment.yaml'), /terminationGracePeriodSeconds: (\d+)/)
  assert.ok(grace > podDrain + CLOSE_SECONDS_MAX)
})
