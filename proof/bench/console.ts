// What a person waits for in the console of a full store: the requests of each screen, and of its pages down to the hundredth,
// as the browser times them.
import type { Page } from 'playwright-core'
import { openBrowser, openPage, signIn } from '../../testkit/console/browser.ts'
import { makeDevPlace, type RunningDev, startDev } from '../../testkit/console/start-dev.ts'
import { SCREENS } from '../../testkit/console/listed-screens.ts'
import { fillStore } from '../../testkit/stores/fill-store.ts'
import { readOptions } from '../options.ts'
import { formatTable, publish, type Row } from './figures.ts'
import { describeMachine } from './machine.ts'
import { runBench } from './run-bench.ts'

const options = readOptions({ live: 1_000_000, ended: 5_000_000, pages: 100, record: false })

/** A screen that asked for nothing more within this time is whole. */
const QUIET_MS = 300
const NEXT_MS_MOST = 3000

/** A request to the API in ms since the navigation, by the browser's own times (Resource Timing). */
type Asked = { readonly name: string; readonly startTime: number; readonly responseEnd: number }

const ASKED = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/'))
  .map(({ name, startTime, responseEnd }) => ({ name, startTime, responseEnd }))`
const TO_THE_END = `for (const place of document.querySelectorAll('.records')) place.scrollTop = place.scrollHeight`

const readAsked = (page: Page): Promise<readonly Asked[]> => page.evaluate<readonly Asked[]>(ASKED)

const slowest = (all: readonly Asked[]): number =>
  all.reduce((most, { startTime, responseEnd }) => Math.max(most, responseEnd - startTime), 0)

const fillDev = async (scope: { after: (end: () => unknown) => void }): Promise<RunningDev> => {
  const place = await makeDevPlace(scope)
  const empty = await startDev(scope, place)
  const agent = await empty.makeAgent('bench')
  await empty.stop()
  console.error(`filling ${options.live} live, ${options.ended} ended`)
  fillStore({ databaseFile: empty.storeFile, baseUrl: empty.baseUrl, agent }, { ...options, samples: 1 })
  return startDev(scope, place)
}

const untilQuiet = async (page: Page): Promise<readonly Asked[]> => {
  let asked = await readAsked(page)
  for (let before = -1; before !== asked.length; asked = await readAsked(page)) {
    before = asked.length
    await page.waitForTimeout(QUIET_MS)
  }
  return asked
}

/** What is asked at the end of what was read; nothing where that is the end of the list. */
const readNext = async (page: Page): Promise<readonly Asked[]> => {
  await page.evaluate('performance.clearResourceTimings()')
  await page.evaluate(TO_THE_END)
  for (const from = performance.now(); performance.now() < from + NEXT_MS_MOST; await page.waitForTimeout(5)) {
    const asked = await readAsked(page)
    if (asked.length > 0) return asked
  }
  return []
}

const measure = async (page: Page, baseUrl: string, [title, path]: readonly [string, string]): Promise<Row> => {
  await page.goto(`${baseUrl}/console/${path}`)
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  const first = await untilQuiet(page)
  const pages: (readonly Asked[])[] = [first]
  while (pages.length < options.pages) {
    const next = await readNext(page)
    if (next.length === 0) break
    pages.push(next)
  }
  const whole = Math.max(...first.map(({ responseEnd }) => responseEnd))
  return [title, first.length, whole, slowest(first), pages.length, slowest(pages.at(-1) ?? []), slowest(pages.flat())]
}

await runBench(options, async () => {
  await using started = new AsyncDisposableStack()
  const service = await fillDev({ after: end => started.defer(async () => void (await end())) })
  const browser = await openBrowser()
  started.defer(() => browser.close())
  const { page } = await openPage(browser)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page, service.baseUrl, 'admin')
  const rows: Row[] = []
  for (const [title, path] of SCREENS) rows.push(await measure(page, service.baseUrl, [title, path]))
  const titles = ['screen', 'requests', 'whole after ms', 'slowest ms', 'pages', 'last page ms', 'slowest page ms']
  const { live, ended } = options
  const facts = [...describeMachine(null), `${live.toLocaleString('en')} live, ${ended.toLocaleString('en')} ended`]
  publish({ title: 'The console of a full store', facts, tables: [formatTable(titles, rows)] }, options.record)
})
