// The drill of alerts: every alert has one cause, its rules are shorter by the same factor, and what it draws is one picture.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATABASE_CAUSES } from '../alerts/causes-database.ts'
import { SERVICE_CAUSES } from '../alerts/causes-service.ts'
import { STORE_CAUSES } from '../alerts/causes-store.ts'
import { drawDashboard } from '../alerts/draw-dashboard.ts'
import { alertNames, readShortRules } from '../alerts/short-rules.ts'

test('every alert of the rules is caused, and none twice', () => {
  const caused = [...SERVICE_CAUSES, ...STORE_CAUSES, ...DATABASE_CAUSES].flatMap(({ alerts }) => alerts)
  assert.deepEqual(caused.toSorted(), alertNames().toSorted())
})

test('in the short rules no time is of minutes but those that were hours', () => {
  const rules = readShortRules()
  assert.equal(rules.match(/- alert: /g)?.length, alertNames().length)
  assert.deepEqual([...new Set(rules.match(/\[\w+\]/g))].toSorted(), ['[10s]', '[15s]', '[1h]', '[5s]'])
  assert.deepEqual([...new Set(rules.match(/for: \w+/g))].toSorted(), [
    'for: 10s',
    'for: 1m',
    'for: 1s',
    'for: 2s',
    'for: 5s',
  ])
})

test('a drawn panel has its title, a line for each series, and the last values in their unit', () => {
  const points = [
    [0, 0.001],
    [10, 0.25],
  ] as const
  const series = ['a<b', 'c'].map(name => ({ name, points }))
  const svg = drawDashboard('Top', [
    { title: 'Row', kind: 'row', unit: 'short', series: [] },
    { title: 'Number', kind: 'stat', unit: 'percentunit', series: series.slice(1) },
    { title: 'Lines', kind: 'graph', unit: 's', series },
  ])
  assert.match(svg, /^<svg [^>]+>.*<\/svg>\n$/s)
  assert.equal(svg.match(/fill="none"/g)?.length, 2)
  for (const words of ['Top', 'Row', 'Number', '25 %', 'Lines', 'a&lt;b 250 ms', 'c 250 ms']) {
    assert.ok(svg.includes(`>${words}</text>`), words)
  }
})
