// Collectors that fail: no request hears of it, the fault is logged once a minute, and a shutdown waits a few seconds at most.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startCollector } from '../../../../testkit/collectors/collector.ts'
import { startTraced } from '../../../../testkit/collectors/serve-process.ts'
import { until } from '../../../../testkit/processes/until.ts'

const OPTIONS = { timeout: 120_000 }

/** Spans are exported at once. */
const QUICK = { traceExportMs: 50 }

const GARBAGE = Buffer.alloc(100_000, 0xff)

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a collector that refuses all is a fault of background work, logged once': response =>
    void response.writeHead(400).end('secret of the collector'),
  'a collector that hangs up is a fault of background work, logged once': response => void response.destroy(),
}

for (const [title, answer] of Object.entries(ANSWERS)) {
  test(title, OPTIONS, async t => {
    const collector = await startCollector(answer)
    t.after(collector.close)
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '300' }
    const service = await startTraced(t, settings, { ...QUICK, traceFlushMs: 300 })
    const logged = () =>
      service.running
        .errors()
        .split('\n')
        .filter(line => line.includes('export of traces'))
    await service.issue()
    await until('the fault is logged', () => Promise.resolve(logged().length > 0))
    const count = async (): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text()
      return Number(/mintmark_background_faults_total\{task="export of traces"\} (\d+)/.exec(text)?.[1] ?? 0)
    }
    await until('a second fault is counted', async () => {
      await service.issue()
      return (await count()) > 1
    })
    assert.equal(logged().length, 1)
    assert.ok(!service.running.errors().includes('secret of the collector'))
    assert.equal((await service.running.stop()).status, 0)
  })
}

test('a collector that never answers holds neither requests nor the shutdown', OPTIONS, async t => {
  const collector = await startCollector(() => undefined)
  t.after(collector.close)
  const service = await startTraced(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
  // More spans than may wait: each request has several.
  for (let n = 0; n < 32; n += 1) await Promise.all(Array.from({ length: 50 }, () => service.issue()))
  assert.ok(
    collector.exports.length > 0 && collector.exports.length <= 2,
    `${collector.exports.length} exports are under way.`,
  )
  assert.equal((await service.running.stop()).status, 0)
})

test(
  'a collector that answers garbage has the spans, more may follow, and what waits is exported before the end',
  OPTIONS,
  async t => {
    const collector = await startCollector(response => void response.writeHead(200).end(GARBAGE))
    t.after(collector.close)
    const service = await startTraced(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, QUICK)
    const issues = (): number => collector.spans.filter(({ name }) => name === 'POST /oauth/token').length
    for (let n = 1; n <= 2; n += 1) {
      await service.issue()
      await collector.waitFor('another issue', () => issues() === n)
    }
    await service.issue()
    assert.equal((await service.running.stop()).status, 0)
    assert.equal(issues(), 3)
  },
)
