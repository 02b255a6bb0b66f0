// Records the screenshots of docs/manage/console.md in this folder: a service of its own with agents that a team might have, seen by
// an administrator. `npm run record:console`; with the name of a screenshot only that one.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser, openPage, signIn } from '../../../testkit/console/browser.ts'
import { type Agent, idOf, type RunningDev, startDev } from '../../../testkit/console/start-dev.ts'

const [WIDTH, HEIGHT] = [1100, 560]
const IMAGE_BYTES_MAX = 100_000

type Shot = {
  readonly name: string
  readonly path: string
  /** Once this text is there, the screen is whole. */
  readonly ready: string | RegExp
  readonly theme: 'light' | 'dark'
  /** What is pressed before, by its name. */
  readonly press?: string
  /** A text of the row that is open. */
  readonly row?: string
}

const SHOTS: readonly Shot[] = [
  { name: 'overview', path: '', ready: 'reports', theme: 'light' },
  {
    name: 'token',
    path: 'history?termination_reason=manual_revocation',
    ready: 'Its use',
    theme: 'dark',
    row: 'manual revocation',
  },
  { name: 'agent', path: 'agents', ready: 'New secret', theme: 'light', row: 'billing' },
  { name: 'signing-keys', path: 'keys', ready: 'retained', theme: 'light' },
  { name: 'verifiers', path: 'verifiers', ready: 'orders-7f9c', theme: 'dark' },
  { name: 'audit', path: 'audit', ready: /^verified/, theme: 'light', press: 'Verify the seals' },
  { name: 'settings', path: 'settings?q=signing', ready: /settings$/, theme: 'dark' },
]

const AGENTS = ['reports', 'billing', 'support-triage', 'nightly-export', 'search-indexer']
const TOKENS_EACH = 2

const reportVerifiers = async ({ baseUrl, ask }: RunningDev): Promise<void> => {
  const body = { name: 'orders', permissions: ['tokens:introspect'] }
  const { api_key: key } = (await ask('POST', '/api/v1/api-keys', body)) as { readonly api_key: string }
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const address = `${baseUrl}/oauth/revocation-feed`
  const feed = (await (await fetch(address, { headers })).json()) as {
    readonly epoch: string
    readonly position: number
  }
  for (const [name, position] of [
    ['orders-7f9c', feed.position],
    ['orders-2b41', feed.position - 1],
  ] as const) {
    const report = { name, epoch: feed.epoch, position }
    await fetch(`${address}/positions`, { method: 'POST', headers, body: JSON.stringify(report) })
  }
}

const fill = async (service: RunningDev): Promise<void> => {
  const agents: Agent[] = []
  for (const name of AGENTS) agents.push(await service.makeAgent(name))
  for (const [n, agent] of agents.entries()) {
    for (let count = 0; count < TOKENS_EACH * (AGENTS.length - n); count += 1) await service.issue(agent)
  }
  const leaked = idOf(await service.issue(agents[1] as Agent))
  await service.ask('POST', `/api/v1/tokens/${leaked}/revoke`, { note: 'seen in a public log' })
  const [runaway] = agents.slice(3)
  const note = 'asked for tokens in a loop'
  await service.ask('POST', `/api/v1/agents/${runaway?.agent_id}/disable`, { note })
  await service.ask('POST', '/api/v1/keys/rotate', { force: true, note: 'quarterly' })
  await reportVerifiers(service)
}

const ending: (() => unknown)[] = []
const service = await startDev({ after: end => void ending.unshift(end) })
try {
  await fill(service)
  const browser = await openBrowser()
  ending.unshift(() => browser.close())
  const { page } = await openPage(browser)
  await page.setViewportSize({ width: WIDTH, height: HEIGHT })
  await signIn(page, service.baseUrl, 'admin')
  const [only] = process.argv.slice(2)
  for (const { name, path, ready, theme, press, row } of SHOTS.filter(
    shot => only === undefined || shot.name === only,
  )) {
    await page.emulateMedia({ colorScheme: theme })
    await page.goto(`${service.baseUrl}/console/${path}`)
    if (row !== undefined) await page.getByRole('row', { name: row }).first().click()
    if (press !== undefined) await page.getByRole('button', { name: press }).click()
    await page.locator('main').getByText(ready).first().waitFor()
    await page.waitForLoadState('networkidle')
    const target = join(import.meta.dirname, `${name}.png`)
    await page.screenshot({ path: target, animations: 'disabled' })
    const bytes = statSync(target).size
    if (bytes > IMAGE_BYTES_MAX) throw new Error(`${name}.png has ${bytes} bytes; expected at most ${IMAGE_BYTES_MAX}.`)
    process.stdout.write(`${name}.png ${bytes} bytes\n`)
  }
} finally {
  for (const end of ending) await end()
}
