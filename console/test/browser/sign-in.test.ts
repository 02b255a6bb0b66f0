// An operator in a browser: signs in to `mintmark dev`, sees what there is, is signed out.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { freePorts, makeFolder, start } from '../../../testkit/commands/run-mintmark.ts'
import { openPage, signIn, SKIPPED } from '../../../testkit/console/browser.ts'
import { authorizationUrlOf } from '../../../testkit/identity-providers/sign-in-person.ts'
import { useFileScope } from '../file-scope.ts'
import { shareBrowser } from '../shared-browser.ts'

let browser: Browser
let baseUrl: string
/** The identity provider. */
let issuer: string
const scope = useFileScope()

before(async () => {
  if (SKIPPED !== false) return
  const [port, providerPort] = await freePorts()
  baseUrl = `http://127.0.0.1:${port}`
  issuer = `http://127.0.0.1:${providerPort}`
  const variables = { PORT: String(port), MINTMARK_DEV_IDP_PORT: String(providerPort) }
  const { printed } = await start(scope, makeFolder(scope), { args: ['dev'], variables, ready: /jwks\.json"; echo\n/ })
  assert.match(printed, new RegExp(`^Console: +${baseUrl}/console/$`, 'm'))
  browser = await shareBrowser()
})

test('an admin signs in on the page of the provider, sees the overview, and signs out', { skip: SKIPPED }, async () => {
  const { page, complaints } = await openPage(browser)
  const answered = page.waitForResponse(response => response.url().includes('/api/v1/usage/agents'))
  await signIn(page, baseUrl, 'admin')
  assert.equal((await answered).status(), 200)

  const cookies = (await page.context().cookies()).filter(({ name }) => name.startsWith('__Host-'))
  assert.deepEqual(
    cookies
      .map(({ name, ...cookie }) => ({ ...cookie, name: name.replace(/-[0-9a-f]{8}$/, '') }))
      .map(({ name, httpOnly, secure, sameSite, path }) => ({ name, httpOnly, secure, sameSite, path }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    [
      { name: '__Host-mintmark-last-session', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' },
      { name: '__Host-mintmark-session', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' },
    ],
  )
  assert.equal(await page.evaluate<string>('document.cookie'), '')

  await page.getByRole('button', { name: 'Development admin' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  assert.deepEqual(
    (await page.context().cookies()).filter(({ name }) => name.startsWith('__Host-')),
    [],
  )
  assert.deepEqual(complaints, [])
  await page.close()
})

test('after a sign-out another operator may sign in, and comes back to the screen that was asked for', {
  skip: SKIPPED,
}, async () => {
  const { page, complaints } = await openPage(browser)
  await signIn(page, baseUrl, 'operator')
  await page.getByRole('button', { name: 'Development operator' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await page.goto(`${baseUrl}/console/tokens?scope=db%3Aread`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign in as viewer' }).click()
  await page.waitForURL(`${baseUrl}/console/tokens?scope=db%3Aread`)
  await page.getByRole('button', { name: 'Development viewer' }).waitFor()
  assert.deepEqual(complaints, [])
  await page.close()
})

test('in the browser of an operator people sign in for an agent, one after another, and it leads to the agent', {
  skip: SKIPPED,
}, async t => {
  const agent = createServer((_request, response) => response.end('The agent')).listen(0, '127.0.0.1')
  t.after(() => agent.close().closeAllConnections())
  await once(agent, 'listening')
  const redirect_uri = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/callback`
  const { page, complaints } = await openPage(browser)
  await signIn(page, baseUrl, 'admin')
  for (const name of ['alice', 'bob']) {
    await page.goto(authorizationUrlOf({ issuer, clientId: 'dev-agent' }, { redirect_uri }))
    const buttons = await page.getByRole('button').allTextContents()
    assert.deepEqual(
      buttons.map(text => text.replace('agents act for them', '')),
      ['Sign in as alice', 'Sign in as bob'],
    )
    await page.getByRole('button', { name: `Sign in as ${name}` }).click()
    await page.getByText('The agent').waitFor()
    assert.match(page.url(), /\/callback\?code=/)
  }
  assert.deepEqual(complaints, [])
  await page.close()
})

const isOfStream = (response: { readonly url: () => string }): boolean => response.url().endsWith('/console/events')

/** Signed in, and on no screen: the first one may still be about to open its stream, which is not the one that a test is about. */
const openSignedIn = async (): Promise<Page> => {
  const { page } = await openPage(browser)
  await signIn(page, baseUrl, 'viewer')
  await page.goto('about:blank')
  return page
}

test('a page whose stream is refused stays signed in, asks again and again, and opens another stream', {
  skip: SKIPPED,
}, async () => {
  const page = await openSignedIn()
  await page.route('**/console/events', route => route.fulfill({ status: 503 }), { times: 1 })
  const statuses: number[] = []
  page.on('response', response => {
    if (isOfStream(response)) statuses.push(response.status())
  })
  const again = page.waitForResponse(response => isOfStream(response) && response.status() === 200)
  await page.goto(`${baseUrl}/console/tokens`)
  await again
  assert.deepEqual(statuses, [503, 200])
  await page.getByRole('heading', { name: 'Tokens' }).waitFor()
  await page.close()
})

test('a page whose session ended while another tab signed in anew opens another stream', {
  skip: SKIPPED,
}, async () => {
  const page = await openSignedIn()
  const ended = { contentType: 'text/event-stream', body: 'event: signed_out\ndata: {}\n\n' }
  await page.route('**/console/events', route => route.fulfill(ended), { times: 1 })
  const another = page.waitForResponse(response => isOfStream(response) && 'x-accel-buffering' in response.headers())
  await page.goto(`${baseUrl}/console/tokens`)
  await another
  await page.getByRole('heading', { name: 'Tokens' }).waitFor()
  await page.close()
})

test('an open page whose session is ended elsewhere shows the sign-in at once', { skip: SKIPPED }, async () => {
  const { page } = await openPage(browser)
  const following = page.waitForResponse(response => response.url().endsWith('/console/events'))
  await signIn(page, baseUrl, 'admin')
  await following
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.evaluate(async () => {
    const listed = await fetch('/api/v1/sessions')
    const { data } = (await listed.json()) as {
      readonly data: readonly { readonly id: string; readonly created_at: string }[]
    }
    const [own] = data.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
    await fetch(`/api/v1/sessions/${own?.id}`, { method: 'DELETE' })
  })
  await page.getByRole('link', { name: 'Sign in' }).waitFor({ timeout: 8_000 })
  await page.close()
})

test('an operator whose session an administrator ends is asked to sign in at the next request', {
  skip: SKIPPED,
}, async () => {
  const { page } = await openPage(browser)
  await signIn(page, baseUrl, 'admin')
  const statuses = await page.evaluate(async () => {
    const listed = await fetch('/api/v1/sessions')
    const { data } = (await listed.json()) as {
      readonly data: readonly { readonly id: string; readonly created_at: string }[]
    }
    const [own] = data.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
    const ended = await fetch(`/api/v1/sessions/${own?.id}`, { method: 'DELETE' })
    return [ended.status, (await fetch('/console/session')).status]
  })
  assert.deepEqual(statuses, [204, 401])
  await page.reload()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await page.close()
})

test('a tab to which its reader comes back says at once as whom another tab signed in', { skip: SKIPPED }, async () => {
  const context = await browser.newContext()
  const [page, other] = [await context.newPage(), await context.newPage()]
  await signIn(page, baseUrl, 'admin')
  await other.goto(`${baseUrl}/console/sign-in`)
  await other.getByRole('button', { name: 'Sign in as viewer' }).click()
  await other.getByRole('button', { name: 'Development viewer' }).waitFor()
  // No tab of this browser is ever hidden.
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  await page.getByRole('button', { name: 'Development viewer' }).waitFor()
  await context.close()
})

/** What a fault in the page, or a library, might try. */
const ATTEMPTS = [
  `document.body.innerHTML = '<img src=x>'`,
  `document.head.append(Object.assign(document.createElement('script'), { text: 'window.ran = true' }))`,
  `document.body.setAttribute('onclick', 'window.ran = true')`,
  `document.write('<p>')`,
]

test('the policy of the page runs no script that is not its own, and lets no text become HTML', {
  skip: SKIPPED,
}, async () => {
  const { page, complaints } = await openPage(browser)
  await page.goto(`${baseUrl}/console/`)
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  for (const attempt of ATTEMPTS) await assert.rejects(page.evaluate(attempt), /Trusted/, attempt)
  await page.getByText('Mintmark').first().click()
  assert.equal(await page.evaluate('window.ran'), undefined)
  assert.ok(complaints.length >= ATTEMPTS.length, complaints.join('\n'))
  await page.close()
})
