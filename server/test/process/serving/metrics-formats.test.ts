// The expositions: what a scraper reads is what was observed, in each format.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { PbfReader } from 'pbf'
import { findProgram } from '../../../../testkit/processes/find-program.ts'
import { makeBucketOf, nativeIndexOf } from '../../../src/metrics/buckets.ts'
import { makeLayout } from '../../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../../src/metrics/memory.ts'
import { makeProcessMetrics } from '../../../src/metrics/process-metrics.ts'
import { formatProtobuf } from '../../../src/metrics/protobuf-format.ts'
import { readMemory } from '../../../src/metrics/read-memory.ts'
import { formatText } from '../../../src/metrics/text-format.ts'

const LISTS = { operations: ['issueToken'], codes: ['invalid_client'], tasks: ['retention'] }
const LAYOUT = makeLayout(LISTS)

const SECONDS = [0, 0.000_001, 0.0009, 0.001, 0.0011, 0.25, 0.25, 3, 500]

const observed = () => {
  const slab = makeSlab(LAYOUT)
  const metrics = openRecorder({ lists: LISTS, slab })
  for (const value of SECONDS) metrics.observe('mintmark_request_seconds', { operation: 'issueToken' }, value)
  for (const value of [1, 1, 2, 200]) metrics.observe('mintmark_group_requests', { group: 'issue' }, value)
  metrics.add('mintmark_requests_total', { operation: 'issueToken', outcome: 'success' }, 9)
  metrics.set('mintmark_connections', {}, 4)
  return readMemory(LAYOUT, [slab])
}

const sum = SECONDS.reduce((total, value) => total + value, 0)

test('the text format has cumulative buckets that end with the count', async () => {
  const { contentType, body } = await formatText(observed(), 'text/plain')
  assert.equal(contentType, 'text/plain; version=0.0.4; charset=utf-8')
  const lines = body.toString().split('\n')
  const at = (line: string): void => assert.ok(lines.includes(line), `${line} is not in\n${body.toString()}`)
  at('# TYPE mintmark_requests_total counter')
  at('mintmark_requests_total{operation="issueToken",outcome="success"} 9')
  at('mintmark_connections 4')
  at('# TYPE mintmark_request_seconds histogram')
  for (const bound of [0.001953125, 0.25, 0.5, 4, 16]) {
    const count = SECONDS.filter(value => value <= bound).length
    at(`mintmark_request_seconds_bucket{operation="issueToken",le="${bound < 1 ? bound : bound.toFixed(1)}"} ${count}`)
  }
  at(`mintmark_request_seconds_bucket{operation="issueToken",le="+Inf"} ${SECONDS.length}`)
  at(`mintmark_request_seconds_count{operation="issueToken"} ${SECONDS.length}`)
  at(`mintmark_request_seconds_sum{operation="issueToken"} ${sum}`)
  at('mintmark_group_requests_bucket{group="issue",le="1.0"} 2')
  at('mintmark_group_requests_bucket{group="issue",le="2.0"} 3')
  at('mintmark_group_requests_bucket{group="issue",le="128.0"} 3')
  at('mintmark_group_requests_bucket{group="issue",le="256.0"} 4')
})

test('OpenMetrics names the family of a counter without _total, and the next text answer is whole again', async () => {
  const families = observed()
  const { contentType, body } = await formatText(families, 'application/openmetrics-text')
  assert.equal(contentType, 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  const text = body.toString()
  assert.match(text, /^# TYPE mintmark_requests counter$/m)
  assert.match(text, /^mintmark_requests_total\{operation="issueToken",outcome="success"\} 9$/m)
  assert.match(text, /\n# EOF\n$/)
  const again = await formatText(families, 'text/plain')
  assert.match(again.body.toString(), /^# TYPE mintmark_requests_total counter$/m)
})

type Message = Map<number, (number | string | Uint8Array)[]>

/** The fields of a message by number: numbers of varints and doubles, bytes of all else. */
const readMessage = (bytes: Uint8Array): Message => {
  const reader = new PbfReader(bytes)
  const fields: Message = new Map()
  while (reader.pos < reader.length) {
    const key = reader.readVarint()
    const values = fields.get(key >> 3) ?? []
    fields.set(key >> 3, values)
    const type = key & 7
    values.push(type === 0 ? reader.readVarint() : type === 1 ? reader.readDouble() : reader.readBytes())
  }
  return fields
}

const bytesOf = (value: unknown): Uint8Array => {
  assert.ok(value instanceof Uint8Array)
  return value
}
const textOf = (value: unknown): string => Buffer.from(bytesOf(value)).toString()

const readFamilies = (body: Uint8Array): ReadonlyMap<string, Message> => {
  const reader = new PbfReader(body)
  const families = new Map<string, Message>()
  while (reader.pos < reader.length) {
    const family = readMessage(reader.readBytes())
    families.set(textOf(family.get(1)?.[0]), family)
  }
  return families
}

const zigzag = (n: number): number => (n % 2 === 0 ? n / 2 : -(n + 1) / 2)

test('the protobuf format has each native bucket under its number, and classic buckets beside them', async () => {
  const { contentType, body } = await formatProtobuf(observed())
  assert.equal(
    contentType,
    'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
  )
  const families = readFamilies(body)
  const family = families.get('mintmark_request_seconds')
  assert.equal(family?.get(3)?.[0], 4)
  const metric = readMessage(bytesOf(family.get(4)?.[0]))
  const label = readMessage(bytesOf(metric.get(1)?.[0]))
  assert.deepEqual([textOf(label.get(1)?.[0]), textOf(label.get(2)?.[0])], ['operation', 'issueToken'])
  const histogram = readMessage(bytesOf(metric.get(7)?.[0]))
  assert.deepEqual([histogram.get(1), histogram.get(2)], [[SECONDS.length], [sum]])
  assert.equal(zigzag(Number(histogram.get(5)?.[0])), 3)
  assert.equal(histogram.get(6)?.[0], 2 ** -17)
  assert.equal(histogram.get(7)?.[0], 2)

  const found = new Map<number, number>()
  const deltas = new PbfReader(bytesOf(histogram.get(13)?.[0]))
  let [index, count] = [0, 0]
  for (const one of histogram.get(12) ?? []) {
    const span = readMessage(bytesOf(one))
    index += zigzag(Number(span.get(1)?.[0]))
    for (let n = Number(span.get(2)?.[0]); n > 0; n -= 1) {
      count += deltas.readSVarint()
      found.set(index, count)
      index += 1
    }
  }
  assert.equal(deltas.pos, deltas.length)
  const expected = new Map<number, number>()
  for (const value of SECONDS.filter(one => one > 2 ** -17)) {
    const at = nativeIndexOf('seconds', makeBucketOf('seconds')(value))
    expected.set(at, (expected.get(at) ?? 0) + 1)
  }
  assert.deepEqual(
    [...found],
    [...expected].toSorted(([a], [b]) => a - b),
  )

  const classic = (histogram.get(3) ?? []).map(one => {
    const bucket = readMessage(bytesOf(one))
    return [bucket.get(2)?.[0], bucket.get(1)?.[0]]
  })
  assert.deepEqual(
    classic,
    classic.map(([bound]) => [bound, SECONDS.filter(value => value <= Number(bound)).length]),
  )
  assert.equal(classic.length, 18)
  const gauge = readMessage(bytesOf(families.get('mintmark_connections')?.get(4)?.[0]))
  assert.equal(readMessage(bytesOf(gauge.get(2)?.[0])).get(1)?.[0], 4)
})

test('the metrics of the process are of the whole process', async () => {
  const names = (await makeProcessMetrics()()).map(({ name }) => name)
  assert.ok(names.includes('process_cpu_seconds_total') && names.includes('process_start_time_seconds'))
  assert.deepEqual(
    names.filter(name => !/^process_|^nodejs_version_info$/.test(name)),
    [],
  )
})

const promtool = findProgram('promtool')

test('promtool finds nothing wrong', {
  skip: promtool === undefined ? 'there is no promtool here' : false,
}, async () => {
  const { body } = await formatText([...observed(), ...(await makeProcessMetrics()())], 'text/plain')
  const { status, stdout, stderr } = spawnSync(promtool ?? '', ['check', 'metrics'], { input: body, encoding: 'utf8' })
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
})
