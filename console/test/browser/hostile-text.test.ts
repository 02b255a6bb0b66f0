// What strangers call things stays text on every screen; and a runaway agent with such a name is stopped within six interactions.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { countInteractions, go, openPage, signIn, SKIPPED } from '../../../testkit/console/browser.ts'
import { type Agent, idOf, type RunningDev, startDev } from '../../../testkit/console/start-dev.ts'
import { useFileScope } from '../file-scope.ts'
import { shareBrowser } from '../shared-browser.ts'

/** As names, owners, values of labels and notes may be: each would do something where it is taken for more than text. */
const HOSTILE = [
  '<img src=x onerror="window.ran=1">',
  '"><script>window.ran=1</script>',
  "'-window.ran=1-'",
  'javascript:window.ran=1',
  '{{constructor.constructor("window.ran=1")()}}',
  '${window.ran=1}',
  '</title><svg/onload=window.ran=1>',
  '%3Cscript%3Ewindow.ran=1%3C/script%3E',
  '__proto__',
  'constructor',
  '&lt;b&gt; &amp; &#60;',
  'אבג <b>right to left</b>',
  `${'w'.repeat(90)}…`,
] as const

let browser: Browser
let service: RunningDev
const agents: Agent[] = []
const scope = useFileScope()

let endedId: string

before(async () => {
  if (SKIPPED !== false) return
  service = await startDev(scope)
  for (const name of HOSTILE) {
    const body = { name, owner: name, description: name, labels: { team: name }, scope: 'db:read' }
    const agent = (await service.ask('POST', '/api/v1/agents', body)) as Agent
    agents.push(agent)
    endedId = idOf(await service.issue(agent))
    await service.ask('POST', `/api/v1/tokens/${endedId}/revoke`, { note: name })
    await service.ask('POST', '/api/v1/api-keys', { name, permissions: ['tokens:introspect'] })
  }
  browser = await shareBrowser()
})

const shownOn = async (page: Page, path: string, first: string = HOSTILE[0]): Promise<string> => {
  await go(page, path)
  await page.locator('main h1').waitFor()
  await page.locator('.records tbody').getByText(first).first().waitFor()
  return (await page.locator('main').textContent()) ?? ''
}

test('hostile names, owners, labels and notes are text on every screen, and the policy has nothing to report', {
  skip: SKIPPED,
}, async () => {
  const { page, complaints } = await openPage(browser)
  await signIn(page, service.baseUrl, 'admin')
  // The overview has the five that got a token last.
  const busiest = await shownOn(page, '', HOSTILE.at(-1))
  assert.ok(
    HOSTILE.slice(-5).every(name => busiest.includes(name)),
    busiest,
  )
  for (const screen of ['agents', 'history', 'api-keys', 'audit?kind=token.revoke']) {
    const shown = await shownOn(page, screen)
    assert.deepEqual(
      HOSTILE.filter(text => !shown.includes(text)),
      [],
      screen,
    )
  }
  for (const [index, { agent_id: id }] of agents.entries()) {
    const name = HOSTILE[index] ?? ''
    await go(page, `agents?open=${id}`)
    await page.locator('.panel .members').getByText(id).waitFor()
    assert.equal(await page.locator('.panel h2').first().textContent(), name)
    assert.ok((await page.locator('.panel .members').first().textContent())?.includes(`team=${name}`), name)
  }
  await go(page, `history?open=${endedId}`)
  await page
    .locator('.panel')
    .getByText(HOSTILE.at(-1) ?? '')
    .first()
    .waitFor()
  assert.equal(await page.evaluate('window.ran'), undefined)
  assert.deepEqual(complaints, [])
  await page.close()
})

test('from sign-in to a stopped runaway agent take at most six interactions', { skip: SKIPPED }, async () => {
  const [runaway] = agents
  if (runaway === undefined) throw new Error('There is no agent.')
  for (let count = 0; count < 5; count += 1) await service.issue(runaway)
  const { page, complaints } = await openPage(browser)
  await page.goto(`${service.baseUrl}/console/`)
  const person = countInteractions(page)
  await person.click('Sign in')
  await person.click('Sign in as operator')
  await person.click(`Stop ${HOSTILE[0]}`)
  await person.click('Stop it')
  await page.locator('.records tbody tr').first().getByText('disabled').waitFor()
  assert.ok(person.made() <= 6, String(person.made()))
  const { disabled_at: at } = (await service.ask('GET', `/api/v1/agents/${runaway.agent_id}`)) as {
    readonly disabled_at: unknown
  }
  assert.equal(typeof at, 'string')
  assert.deepEqual(complaints, [])
  await page.close()
})
