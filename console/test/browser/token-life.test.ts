// An operator asks what became of a token: pasted, by its id, its end, its use and its tree, from one panel.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AdminConsole, useAdminConsole } from '../admin-console.ts'
import { LEAK, seeWhoEnded } from '../stories.ts'
import { countInteractions, SKIPPED } from '../../../testkit/console/browser.ts'
import { idOf } from '../../../testkit/console/start-dev.ts'

let { service, page, complaints, open } = {} as AdminConsole
useAdminConsole(opened => {
  ;({ service, page, complaints, open } = opened)
})

const panel = () => page.getByRole('complementary', { name: 'Token' })

/** Nothing is wider than the window. */
const assertFits = async (): Promise<void> =>
  assert.equal(
    await page.evaluate(
      '[document.documentElement, document.querySelector(".panel")].every(one => one === null || one.scrollWidth <= one.clientWidth)',
    ),
    true,
  )

test('from a pasted token to who ended it and why take at most three interactions, and its text is in no address', {
  skip: SKIPPED,
}, async () => {
  const token = await service.issue(await service.makeAgent('leaky'))
  await service.ask('POST', `/api/v1/tokens/${idOf(token)}/revoke`, { note: LEAK })
  await open('')
  const sent: { readonly url: string; readonly body: string }[] = []
  page.on('request', request => sent.push({ url: request.url(), body: request.postData() ?? '' }))
  const person = countInteractions(page)
  await person.press('/')
  await person.paste(token)
  await seeWhoEnded(page)
  assert.ok(person.made() <= 3)

  const signature = token.split('.')[2] ?? token
  assert.deepEqual(
    sent.filter(({ body }) => body.includes(signature)).map(({ url }) => new URL(url).pathname),
    ['/api/v1/tokens/explain'],
  )
  assert.deepEqual(
    [...sent.map(({ url }) => url), page.url()].filter(url => url.includes(signature)),
    [],
  )
  assert.equal(await page.locator('#search').inputValue(), '')
  assert.deepEqual(complaints, [])
})

test('a pasted secret is sent nowhere', { skip: SKIPPED }, async () => {
  const secret = `mma_${'a1B2c3D4e5F6g7H8'.repeat(3)}`
  await open('')
  const sent: string[] = []
  page.on('request', request => sent.push(request.url() + (request.postData() ?? '')))
  await page.locator('#search').fill(secret)
  await page.getByText('it was sent nowhere').waitFor()
  await page.locator('#search').press('Enter')
  // What is asked after it shows that what it would have asked is over.
  await page.locator('#search').fill('nobody')
  await page.getByText('No agent has this in its name, owner or labels').waitFor()
  assert.ok(sent.some(text => text.includes('q=nobody')))
  assert.deepEqual(
    sent.filter(text => text.includes('mma_')),
    [],
  )
})

test('the act that ended a token is one click away in the audit log', { skip: SKIPPED }, async () => {
  const token = await service.issue(await service.makeAgent('audited'))
  await service.ask('POST', `/api/v1/tokens/${idOf(token)}/revoke`, { note: 'by hand' })
  await open(`tokens?open=${idOf(token)}`)
  await panel().getByRole('link', { name: 'The act in the audit log' }).click()
  const row = page.locator('.records tbody tr[tabindex]')
  await row.first().waitFor()
  assert.match((await row.allInnerTexts()).join('\n'), /token\.revoke[\s\S]*by hand/)
  assert.deepEqual(complaints, [])
})

test('a text that is no token of this service is explained too, and is gone after the page is loaded again', {
  skip: SKIPPED,
}, async () => {
  const token = await service.issue(await service.makeAgent('forged'))
  const [head = '', claims = '', signature = ''] = token.split('.')
  const altered = Buffer.from(JSON.stringify({ iss: 'https://elsewhere.example', jti: idOf(token) })).toString(
    'base64url',
  )
  await open('')
  for (const [text, code, about] of [
    [`${head}.${altered}.${signature}`, 'foreign', 'did not make it'],
    ['x'.repeat(101), 'malformed', 'is no token'],
    [`${head}.${claims}.${signature.toUpperCase()}`, 'foreign', 'did not make it'],
  ] as const) {
    await page.locator('#search').fill(text)
    await panel().getByText(about).waitFor()
    assert.equal(await panel().locator('.state').innerText(), code)
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
  }
  await open('tokens?open=pasted')
  await panel().getByText('The text of a token is not kept.').waitFor()
  await open('tokens?open=01a20ab7-9544-7e03-9e33-b64a4ac6a715')
  await panel().getByText('has no record of it').waitFor()
  assert.deepEqual(complaints.splice(0), [
    'Failed to load resource: the server responded with a status of 404 (Not Found)',
  ])
})

test('a token that is presented after its end shows by which resource server, and how often', {
  skip: SKIPPED,
}, async () => {
  const token = await service.issue(await service.makeAgent('late'))
  const key = { name: 'orders <i>api</i>', permissions: ['tokens:introspect'] }
  const { api_key: apiKey } = (await service.ask('POST', '/api/v1/api-keys', key)) as { readonly api_key: string }
  await service.ask('POST', `/api/v1/tokens/${idOf(token)}/revoke`, {})
  const body = new URLSearchParams({ token })
  for (let count = 0; count < 3; count += 1) {
    const headers = { 'x-api-key': apiKey }
    assert.equal((await fetch(`${service.baseUrl}/oauth/introspect/v2`, { method: 'POST', headers, body })).status, 200)
  }
  // It is counted by the second: the panel shows it once it is.
  await open(`history?open=${idOf(token)}`)
  await panel().getByText('orders <i>api</i> asked 3 times after its end').waitFor()
  await panel().getByRole('link', { name: 'late' }).click()
  await page.getByRole('complementary', { name: 'late' }).waitFor()
  assert.deepEqual(complaints, [])
})

/** It would do something where it is taken for more than text, and is as long as a subject may be. */
const SUB = `"><img/src=x/onerror="window.ran=1">${"'&#60;${x}%3C".repeat(20)}`.slice(0, 255).padEnd(255, 'w')

test('a token on behalf of a subject of an issuer says so, and leads to all that are, however that is called', {
  skip: SKIPPED,
}, async () => {
  const id = idOf(await service.issue(await service.makeAgent('for a person')))
  const subject = { issuer: 'acme', iss: 'https://idp.example', sub: SUB }
  const record = { alias: 'acme', issuer: subject.iss, token_types: ['id_token'], scope: 'db:read' }
  await service.ask('POST', '/api/v1/issuers', record)
  await page.route(`**/api/v1/tokens/${id}/*`, async route => {
    const { pathname, search } = new URL(route.request().url())
    const answer = JSON.stringify(await service.ask('GET', pathname + search))
    const body = answer.replaceAll(/"subject":\{[^}]*\}/g, () => `"subject":${JSON.stringify(subject)}`)
    await route.fulfill({ contentType: 'application/json', body })
  })
  await page.setViewportSize({ width: 375, height: 800 })
  try {
    await open(`tokens?open=${id}`)
    await panel().getByText(`It was got with a credential for acme:${SUB}, and no token was got for it.`).waitFor()
    const link = panel().getByRole('link', { name: `acme:${SUB}`, exact: true })
    assert.equal(await link.locator('code').getAttribute('title'), 'https://idp.example')
    await assertFits()
    await link.click()
    await page.getByRole('heading', { name: `acme:${SUB}` }).waitFor()
    await assertFits()
    await page
      .getByRole('region', { name: 'Live tokens' })
      .getByRole('link', { name: 'As a list with filters' })
      .click()
    const chip = page.locator('.chip')
    await chip.getByText(`acme:${SUB}`, { exact: true }).waitFor()
    await page.getByText('No live token matches.').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('subject'), `acme:${SUB}`)
    await assertFits()
    await chip.getByRole('button').click()
    // By hand: longer than any name, so that no agent is searched for.
    await page.getByLabel('Filter by').selectOption('subject')
    const field = page.getByRole('combobox', { name: 'On behalf of' })
    for (const [text, wrong] of [
      ['acme:', 'No agent has this in its name, owner or labels, and a subject of an issuer is ALIAS:SUB.'],
      [`acme:${SUB}`, undefined],
    ] as const) {
      await field.fill(text)
      await field.press('Enter')
      await (wrong === undefined ? chip.getByText(text, { exact: true }) : page.getByText(wrong)).waitFor()
    }
    await page.getByText('No live token matches.').waitFor()
  } finally {
    await page.unrouteAll({ behavior: 'wait' })
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  assert.equal(await page.evaluate('window.ran'), undefined)
  assert.deepEqual(complaints, [])
})
