// The guides that lead here from other servers: the commands of each run beside one service, with exports of those servers at hand.
import { copyFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commandsOf, transcriptsOf, typeBeside } from './operator-stories.ts'
import type { Scope } from './run-mintmark.ts'
import { startServing } from './serving.ts'

const INTEROP = resolve(import.meta.dirname, '../../proof/interop')

/** What the agents of proof/interop/exports authenticated with at the other server. The realm is as Keycloak 26.2.5 exported it, less what an import passes over. */
const SECRETS = {
  REPORTS_SECRET: 'the-secret-of-reports-in-hydra',
  ORDERS_SECRET: 'the-secret-of-orders-in-keycloak',
  BILLING_ID: 'kQ7wYb0nJ3Xc5Vt9Rm2Lz8Pd4Hs6Gf1A',
  BILLING_SECRET: 'the-secret-of-billing-in-auth0-which-has-64-characters-there-0123',
}

/** Runs the commands of each page, and returns its blocks as they come out. */
export const followGuides = async (t: Scope, pages: readonly string[]): Promise<readonly (readonly string[])[]> => {
  const serving = await startServing(t)
  const exports = join(INTEROP, 'exports')
  for (const name of readdirSync(exports)) copyFileSync(join(exports, name), join(serving.folder, name))
  copyFileSync(join(INTEROP, 'typescript/auth0-clients.ts'), join(serving.folder, 'auth0-clients.ts'))
  const type = typeBeside(serving, { BASE_URL: serving.url, ...SECRETS })
  return pages.map(page =>
    transcriptsOf(page).map(block =>
      commandsOf(block)
        .map(line => `$ ${line}\n${type(line)}`)
        .join(''),
    ),
  )
}
