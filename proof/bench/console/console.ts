// What a person waits for in the console of a full store: the requests of each screen, and of its pages down to the hundredth, as the
// browser times them; and those of every list with each of its filters.
import { EARLIER_AUDIENCE_SPANS } from '../../../server/src/store/sqlite/schema/migrations.ts'
import { openDatabase } from '../../../server/src/store/sqlite/connection/database.ts'
import { openBrowser, openPage, signIn } from '../../../testkit/console/browser.ts'
import { makeDevPlace, type RunningDev, startDev } from '../../../testkit/console/start-dev.ts'
import { type FilledStore, fillStore } from '../../../testkit/stores/fill-store.ts'
import { readOptions } from '../../options.ts'
import { formatTable, publish, type Row } from '../figures.ts'
import { describeMachine } from '../machine.ts'
import { runBench } from '../run-bench.ts'
import { askList, LIST_TITLES } from './ask-lists.ts'
import { type Known, listQuestions } from './list-questions.ts'
import { rareRows } from './rare-rows.ts'
import { measureScreens, measureSorts, SCREEN_TITLES, SORT_TITLES } from './screens.ts'

const options = readOptions({ live: 1_000_000, ended: 5_000_000, pages: 100, record: false })

const addRareRows = (file: string, { clientId, live }: FilledStore): void => {
  const db = openDatabase(file)
  try {
    const found = db.prepare<{ n: number }>('select n from agent where client_id = ?').get(clientId)
    for (const sql of [...rareRows(String(found?.n), live, options.live), EARLIER_AUDIENCE_SPANS]) db.prepare(sql).run()
  } finally {
    db.close()
  }
}

type Filled = { readonly service: RunningDev; readonly filled: FilledStore }

const fillDev = async (scope: { after: (end: () => unknown) => void }): Promise<Filled> => {
  const place = await makeDevPlace(scope)
  const empty = await startDev(scope, place)
  const agent = await empty.makeAgent('bench')
  await empty.stop()
  console.error(`filling ${options.live} live, ${options.ended} ended`)
  const wish = { ...options, samples: 1 }
  const filled = fillStore({ databaseFile: empty.storeFile, baseUrl: empty.baseUrl, agent }, wish)
  addRareRows(empty.storeFile, filled)
  return { service: await startDev(scope, place), filled }
}

type Token = Pick<Known, 'credential_id' | 'kid'> & { readonly id: string; readonly audience: readonly string[] }

const knownOf = async ({ service, filled }: Filled): Promise<Known> => {
  const { agentId, clientId, live, ended } = filled
  // The contract of both.
  const agent = (await service.ask('GET', `/api/v1/agents/${agentId}`)) as { readonly name: string }
  const { data } = (await service.ask('GET', `/api/v1/tokens?agent_id=${agentId}&limit=1`)) as {
    readonly data: readonly Token[]
  }
  const [token] = data
  if (token === undefined) throw new Error('An agent of the filling has no token.')
  const { id, credential_id, kid, audience } = token
  const names = { agent_id: agentId, client_id: clientId, agent_name: agent.name, credential_id, kid, token_id: id }
  return { ...names, audience: audience.join(' '), live, ended }
}

await runBench(options, async () => {
  await using started = new AsyncDisposableStack()
  const dev = await fillDev({ after: end => started.defer(async () => void (await end())) })
  const { service } = dev
  const lists: Row[] = []
  for (const question of listQuestions(await knownOf(dev))) {
    lists.push(await askList(path => service.ask('GET', path), question, options.pages))
  }
  const browser = await openBrowser()
  started.defer(() => browser.close())
  const { page } = await openPage(browser)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page, service.baseUrl, 'admin')
  const screens = await measureScreens(page, service.baseUrl, options.pages)
  const sorts = await measureSorts(page, service.baseUrl)
  const { live, ended } = options
  const facts = [...describeMachine(null), `${live.toLocaleString('en')} live, ${ended.toLocaleString('en')} ended`]
  const tables = [formatTable(SCREEN_TITLES, screens), formatTable(SORT_TITLES, sorts), formatTable(LIST_TITLES, lists)]
  publish({ title: 'The console of a full store', facts, tables }, options.record)
})
