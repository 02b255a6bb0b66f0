// Who acts for whom: those that may exchange tokens come first, and before an end it is said who loses tokens with it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SKIPPED } from '../../../testkit/console/browser.ts'
import { type Agent, idOf } from '../../../testkit/console/start-dev.ts'
import { type AdminConsole, useAdminConsole } from '../admin-console.ts'
import { findAxeFaults } from '../axe-faults.ts'

let { service, page, complaints, open } = {} as AdminConsole
useAdminConsole(opened => {
  ;({ service, page, complaints, open } = opened)
})

const dialog = () => page.getByRole('dialog')

const makeExchanger = async (name: string): Promise<Agent> => {
  const agent = await service.makeAgent(name)
  const grant_types = ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange']
  await service.ask('PATCH', `/api/v1/agents/${agent.agent_id}`, {
    grant_types,
    acts_for: ['*', 'label:team=data'],
    receives: [service.baseUrl],
  })
  return agent
}

test('entries that name issuers are shown as they stand, with the client ids there', { skip: SKIPPED }, async () => {
  const issuer = { issuer: 'https://acme.example', jwks_uri: 'https://acme.example/jwks' }
  await service.ask('POST', '/api/v1/issuers', { alias: 'acme', ...issuer, token_types: ['id_token'], scope: 'db:*' })
  const { agent_id: id } = await service.makeAgent('for people')
  await service.ask('PATCH', `/api/v1/agents/${id}`, {
    acts_for: ['issuer:acme:alice'],
    issuer_clients: { acme: 'app' },
  })
  await open(`delegation?agent=${id}`)
  await page.getByRole('listitem').getByText('issuer:acme:alice', { exact: true }).waitFor()
  await page.getByText('acme=app').waitFor()
  await open(`agents?open=${id}`)
  await page.getByText('acme=app').waitFor()
  await page.getByRole('button', { name: 'Change for people' }).click()
  await dialog().getByText('More settings').click()
  await dialog().getByLabel('Clients at issuers').fill('acme=other')
  await dialog().getByText('--issuer-client acme=other').waitFor()
  await dialog().locator('button[type=submit]').click()
  await page.getByText('acme=other').first().waitFor()
  assert.deepEqual(complaints, [])
})

test('the delegation screen begins with the agents that may exchange tokens, also in a search', {
  skip: SKIPPED,
}, async () => {
  await makeExchanger('relay of orders')
  await service.makeAgent('orders alone')
  await open('delegation')
  const exchangers = page.getByRole('region', { name: 'May exchange tokens' })
  await exchangers.getByRole('listitem').filter({ hasText: 'relay of orders' }).waitFor()
  assert.match(await exchangers.innerText(), /relay of orders\s+acts for any agent, label:team=data/)
  assert.equal(await page.getByText('orders alone').count(), 0)
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('searchbox', { name: 'Agent by name or id' }).fill('rders')
  const others = page.getByRole('region', { name: 'Others' })
  await others.getByRole('link', { name: 'orders alone' }).waitFor()
  assert.equal(await others.getByText('relay of orders').count(), 0)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'relay of orders' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('before an end the tree and the dialogs say who loses tokens with it', { skip: SKIPPED }, async () => {
  const [origin, relay, last] = [
    await service.makeAgent('origin'),
    await makeExchanger('middle'),
    await makeExchanger('last'),
  ]
  const root = await service.issue(origin)
  const middle = await service.exchange(relay, root)
  await service.exchange(last, middle)
  await open(`tokens?open=${idOf(root)}`)
  const leaf = page.locator('.tree .leaf')
  await leaf.filter({ hasText: 'This token' }).getByText('2 end with it').waitFor()
  await leaf.filter({ hasText: 'middle' }).getByText('1 ends with it').waitFor()
  const marked = (): Promise<unknown> =>
    page.evaluate(
      "[...document.querySelectorAll('.tree .leaf')].map(e => getComputedStyle(e).backgroundColor !== 'rgba(0, 0, 0, 0)')",
    )
  assert.deepEqual(await marked(), [false, false, false])
  await leaf.filter({ hasText: 'middle' }).hover()
  assert.deepEqual(await marked(), [false, true, true])

  await page.getByRole('button', { name: 'End this token' }).click()
  await dialog().getByText('Now this ends 1 live token, with 2 that were got for them.').waitFor()
  for (const name of ['middle', 'last']) await dialog().locator('.plan').getByText(name).waitFor()
  assert.match(await dialog().innerText(), /held by:\s+(middle 1 token\s+last|last 1 token\s+middle) 1 token/)
  assert.deepEqual(await findAxeFaults(page, '[role=dialog]'), [])
  await page.keyboard.press('Escape')

  await open(`agents?open=${relay.agent_id}`)
  await page.getByRole('button', { name: 'Stop middle' }).click()
  await dialog().getByText('held by:').waitFor()
  await dialog().locator('.plan').getByText('last').waitFor()
  assert.match(await dialog().locator('.plan').innerText(), /^last 1 token$/)
  await dialog().getByRole('button', { name: 'Stop it' }).click()
  await dialog().getByRole('link', { name: 'What ended' }).click()
  await page.locator('.records tbody').getByText('agent disabled').waitFor()
  await page.locator('.records tbody').getByRole('cell', { name: 'last' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('what a deletion, a change of scope and an end of a token ended is shown with what was got for it, and nothing else', {
  skip: SKIPPED,
}, async () => {
  const relay = await makeExchanger('got it')
  const submit = dialog().locator('button[type=submit]')
  const acts: Readonly<Record<string, (agent: Agent, token: string) => Promise<void>>> = {
    'agent deleted': async ({ agent_id: id }) => {
      await open(`agents?open=${id}`)
      await page.getByRole('button', { name: 'Delete agent deleted' }).click()
      await dialog()
        .getByLabel(/^Type /)
        .fill('agent deleted')
    },
    'scope removed': async ({ agent_id: id }) => {
      await open(`agents?open=${id}`)
      await page.getByRole('button', { name: 'Change scope removed' }).click()
      await dialog().getByLabel('Scope', { exact: true }).fill('db:write')
    },
    'manual revocation': async (_, token) => {
      await open(`tokens?open=${idOf(token)}`)
      await page.getByRole('button', { name: 'End this token' }).click()
    },
  }
  for (const [reason, ask] of Object.entries(acts)) {
    const agent = await service.makeAgent(reason)
    const token = await service.issue(agent)
    const before = await service.exchange(relay, token)
    await service.exchange(relay, token)
    await service.ask('POST', `/api/v1/tokens/${idOf(before)}/revoke`, {})
    await ask(agent, token)
    await dialog().getByText('1 that was got for').waitFor()
    await submit.click()
    await dialog().getByText('In force since').waitFor()
    await dialog().getByRole('link', { name: 'What ended', exact: true }).click()
    const ended = page.locator('.records tbody tr[tabindex]')
    await ended.nth(1).waitFor()
    const rows = (await ended.allInnerTexts()).join('\n')
    assert.equal(await ended.count(), 2, rows)
    assert.match(rows, new RegExp(reason))
    assert.match(rows, /ancestor ended/)
  }
  assert.deepEqual(complaints, [])
})

test('the time line of an agent has its acts, tokens, uses and refusals, newest first, each with a link', {
  skip: SKIPPED,
}, async () => {
  const agent = await service.makeAgent('watched')
  const token = await service.issue(agent)
  await service.ask('POST', `/api/v1/tokens/${idOf(token)}/revoke`, { note: 'by hand' })
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: agent.client_id })
  for (const [secret, scope] of [
    [agent.client_secret, 'db:write'],
    ['mmc_wrong', 'db:read'],
  ] as const) {
    body.set('client_secret', secret)
    body.set('scope', scope)
    assert.ok(!(await fetch(`${service.baseUrl}/oauth/token`, { method: 'POST', body })).ok)
  }
  await service.ask('POST', `/api/v1/agents/${agent.agent_id}/disable`, { note: 'it runs away' })
  await open(`agents?open=${agent.agent_id}`)
  const line = page.getByRole('region', { name: 'Time line' })
  for (const text of ['agent.disable', 'it runs away', 'agent.create', '1 token issued', '1 ended'])
    await line.getByText(text).first().waitFor()
  for (const text of ['invalid_scope', 'Authentication refused: 1']) await line.getByText(text).first().waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(complaints, [])

  await page.route('**/credentials**', route => route.fulfill({ status: 503 }))
  await page.reload()
  await line.getByText('503').first().waitFor()
  assert.equal(await line.getByText('Nothing.').count(), 0)
  await page.unroute('**/credentials**')
  await page.reload()
  await line.getByRole('link', { name: '1 ended' }).click()
  await page.locator('.records tbody').getByText('manual revocation').waitFor()
})
