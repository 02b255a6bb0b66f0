// An administrator in a browser trusts an issuer, changes it, stops it and deletes it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SKIPPED } from '../../../testkit/console/browser.ts'
import { type AdminConsole, useAdminConsole } from '../admin-console.ts'
import { findAxeFaults } from '../axe-faults.ts'

let { service, page, complaints, open } = {} as AdminConsole
useAdminConsole(opened => {
  ;({ service, page, complaints, open } = opened)
})

const dialog = () => page.getByRole('dialog')

const shown = (alias: string): Promise<unknown> => service.ask('GET', `/api/v1/issuers/${alias}`)

const ISSUER = 'https://login.example/tid/v2.0'
const KEYS = 'https://login.example/keys'

test('an issuer is trusted, changed, stopped, enabled and deleted, and no dialog has a fault that axe finds', {
  skip: SKIPPED,
}, async () => {
  await open('issuers')
  await page.getByText('No issuer is trusted.').waitFor()
  await page.getByRole('button', { name: 'Trust an issuer' }).click()
  await dialog().getByLabel('Alias').fill('entra')
  await dialog().getByLabel('Issuer').fill(ISSUER)
  await dialog().getByLabel('Claim that names its subjects').selectOption('oid')
  await dialog().getByLabel('Claims that its JWTs must have').fill('tid=b2 d8\nhd=example.com')
  await dialog().getByLabel('Clients whose JWTs are taken').fill('web cli')
  await dialog().getByLabel('Scope at most').fill('db:read')
  await dialog().getByLabel('Address of its keys').fill(KEYS)
  assert.equal(
    await dialog().locator('.command code').innerText(),
    `mintmark issuer create --alias entra --issuer ${ISSUER} --subject-claim oid --require 'tid=b2 d8' --require hd=example.com --type id_token --party web --party cli --scope db:read --jwks-uri ${KEYS}`,
  )
  assert.deepEqual(await findAxeFaults(page), [])
  await dialog().getByRole('button', { name: 'Trust it' }).click()
  await page.getByText('entra is trusted').waitFor()
  await dialog().getByRole('button', { name: 'Done' }).click()
  const fixed = { issuer: ISSUER, subject_claim: 'oid', require: { tid: 'b2 d8', hd: 'example.com' } }
  assert.partialDeepStrictEqual(await shown('entra'), { ...fixed, parties: ['web', 'cli'], jwks_uri: KEYS })
  const panel = page.getByRole('complementary', { name: 'entra' })
  await panel.getByText('tid=b2 d8').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  await panel.getByRole('button', { name: 'Change entra' }).click()
  await dialog().getByLabel('Scope at most').fill('db:write')
  await dialog().getByLabel('jwt', { exact: true }).check()
  // Somebody else withdraws a client meanwhile, and it stays withdrawn.
  await service.ask('PATCH', '/api/v1/issuers/entra', { parties: ['cli'] })
  await dialog().getByRole('button', { name: 'Change it' }).click()
  await page.getByText('entra is changed').waitFor()
  await dialog().getByRole('button', { name: 'Done' }).click()
  const changed = { ...fixed, scope: 'db:write', token_types: ['id_token', 'jwt'], parties: ['cli'] }
  assert.partialDeepStrictEqual(await shown('entra'), changed)

  for (const [act, submit, state, isStopped] of [
    ['Stop', 'Stop it', 'is stopped', true],
    ['Enable', 'Enable it', 'is enabled', false],
  ] as const) {
    await panel.getByRole('button', { name: `${act} entra` }).click()
    await dialog().getByRole('button', { name: submit }).click()
    await page.getByText(`entra ${state}`).waitFor()
    await dialog().getByRole('button', { name: 'Done' }).click()
    const { disabled_at: at } = (await shown('entra')) as { readonly disabled_at: string | null }
    assert.equal(at !== null, isStopped)
  }

  await panel.getByRole('button', { name: 'Delete entra' }).click()
  await dialog()
    .getByLabel(/^Type /)
    .fill('entra')
  await dialog().getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('entra is deleted').waitFor()
  await dialog().getByRole('button', { name: 'Done' }).click()
  await page.getByText('No issuer is trusted.').waitFor()
  assert.deepEqual(complaints, [])
})

test('two issuers with one address of keys are pointed out, and what the service refuses is shown', {
  skip: SKIPPED,
}, async () => {
  const body = { token_types: ['id_token'], scope: 'db:read', jwks_uri: KEYS }
  for (const alias of ['first', 'second'])
    await service.ask('POST', '/api/v1/issuers', { ...body, alias, issuer: `https://${alias}.example` })
  await open('issuers?open=second')
  await page.getByText(/^first has its keys at the same address/).waitFor()
  await page.getByRole('button', { name: 'Trust an issuer' }).click()
  await dialog().getByLabel('Alias').fill('third')
  await dialog().getByLabel('Issuer').fill('https://login.microsoftonline.com/common/v2.0')
  await dialog().getByLabel('Scope at most').fill('db:read')
  await dialog().getByRole('button', { name: 'Trust it' }).click()
  await dialog().getByRole('alert').getByText('https://login.microsoftonline.com/TENANT-ID/v2.0').waitFor()
  assert.match(complaints.splice(0).join(), /^\D+400 \(Bad Request\)$/)
})
