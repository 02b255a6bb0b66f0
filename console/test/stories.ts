// What an operator does in an incident, step by step, whichever service it is done at.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Agent, ServiceAsked } from '../../testkit/console/start-dev.ts'
import type { AdminConsole } from './admin-console.ts'

type Place = Pick<AdminConsole<ServiceAsked>, 'service' | 'page' | 'open'>

const dialogOf = (page: Page) => page.getByRole('dialog')

/** Makes an agent with three tokens, and asks on the overview to stop it: the dialog counts them. Returns their texts. */
export const askToStopRunaway = async ({ service, page, open }: Place, name: string): Promise<readonly string[]> => {
  const agent = await service.makeAgent(name)
  const tokens: string[] = []
  for (let count = 0; count < 3; count += 1) tokens.push(await service.issue(agent))
  await open('')
  await page.getByRole('button', { name: `Stop ${name}` }).click()
  await dialogOf(page).getByText('Now this ends 3 live tokens.').waitFor()
  return tokens
}

/** The second click: returns once the dialog says since when, and what ended. */
export const stopRunaway = async (page: Page, name: string): Promise<void> => {
  await dialogOf(page).getByRole('button', { name: 'Stop it' }).click()
  await dialogOf(page)
    .getByRole('heading', { name: `${name} is stopped` })
    .waitFor()
  assert.match(await dialogOf(page).getByRole('status').first().innerText(), /In force since [\s\S]*3 live tokens/)
}

/** Ends the two tokens of a team by its label, in three clicks from its list. Returns an agent of no team, with its one token left. */
export const endTokensOfTeam = async ({ service, page, open }: Place, team: string): Promise<Agent> => {
  const [ours, other] = [await service.makeAgent(`of ${team}`), await service.makeAgent(`beside ${team}`)]
  await service.ask('PATCH', `/api/v1/agents/${ours.agent_id}`, { labels: { team } })
  for (const agent of [ours, ours, other]) await service.issue(agent)
  await open(`tokens?label=team%3D${team}`)
  await page.locator('.records tbody tr[tabindex]').nth(1).waitFor()
  await page.getByRole('button', { name: 'End all that match' }).click()
  await dialogOf(page).getByText('2 tokens would end now').waitFor()
  await dialogOf(page).getByRole('button', { name: 'End all of them' }).click()
  await dialogOf(page).getByRole('heading', { name: 'All that matched have ended' }).waitFor()
  await dialogOf(page).getByText('2 tokens ended.').waitFor()
  return other
}

/** The third click: History has those that ended by that revocation, and no other. */
export const seeWhatEndedOfTeam = async ({ service, page }: Pick<Place, 'service' | 'page'>, other: Agent) => {
  await dialogOf(page).getByRole('link', { name: 'What ended' }).click()
  await page.locator('.records tbody tr[tabindex]').nth(1).waitFor()
  assert.equal(await page.locator('.records tbody tr[tabindex]').count(), 2)
  const { data } = (await service.ask('GET', `/api/v1/tokens?agent_id=${other.agent_id}`)) as {
    readonly data: object[]
  }
  assert.equal(data.length, 1)
}

export const LEAK = 'seen in a public log'

/** The panel of a token that an administrator of `dev` revoked with the note LEAK: it ended, by whom, why and when. */
export const seeWhoEnded = async (page: Page): Promise<void> => {
  const panel = page.getByRole('complementary', { name: 'Token' })
  await panel.getByText('manual revocation').first().waitFor()
  assert.match(
    await panel.innerText(),
    new RegExp(`When\\s+\\S.*\\s+\\S.*\\d.*\\s+By\\s+dev-admin[\\s\\S]*Note\\s+${LEAK}`),
  )
}
