// Imports over HTTP, agents as an import hands them to the store, and hashes as other servers make them.
import assert from 'node:assert/strict'
import { pbkdf2Sync, randomBytes, randomUUID } from 'node:crypto'
import { BLANK_SETTINGS } from '../../server/src/domain/clients/change-agent.ts'
import type { ImportedAgent } from '../../server/src/ports/imports.ts'
import { importAgents } from '../../server/src/cli/imports/import-agents.ts'
import { planDocument, type Source } from '../../server/src/cli/imports/plan-document.ts'
import type { ImportSettings } from '../../server/src/domain/import/import-plan.ts'
import type { Api } from '../../server/src/cli/remote/api.ts'
import { admin, call } from './administration.ts'
import { realmExport } from './foreign-exports.ts'
import type { Answer } from './requests.ts'
import type { TestServer } from '../services/test-server.ts'

/** What became of one client. */
export type Outcome = Readonly<Record<string, unknown>> & { readonly agent_id: string; readonly client_secret: string }

/** What the command says of a client that is not imported. */
export const NOTHING = {
  reason: null,
  description: null,
  agent_id: null,
  name: null,
  owner: null,
  secret: null,
  client_secret: null,
  scope: null,
  default_scope: null,
  resources: [],
  disabled: false,
  scopes_left_out: [],
  audiences_left_out: [],
}

/** The reasons, or else the outcomes, by client id. */
export const reasons = (outcomes: readonly Outcome[]) =>
  Object.fromEntries(outcomes.map(one => [String(one['client_id']), one['reason'] ?? one['outcome']]))

const NO_SETTINGS: ImportSettings = { scope: null, defaultScope: null, scopeMap: new Map(), resources: null }

type Imported = Partial<ImportSettings> & {
  readonly source: Source
  readonly document: unknown
  readonly isTrial?: boolean
}

/** Imports as an administrator: agents by a request of `post`, or the clients of a document as the command does, with requests over HTTP. */
export const importsInto = (service: TestServer) => {
  const post = async (body: object): Promise<Answer> =>
    call(service, { method: 'POST', path: '/api/v1/imports', body }, await admin(service))
  const api: Pick<Api, 'call'> = {
    call: async (_row, request) => {
      assert.ok('body' in request)
      const answer = await post(request.body as object)
      assert.equal(answer.status, 200, answer.text)
      return answer.json as Readonly<Record<string, unknown>>
    },
  }
  const importing = async ({
    source,
    document,
    isTrial = false,
    ...settings
  }: Imported): Promise<readonly Outcome[]> => {
    const clients = planDocument(source, JSON.stringify(document), { ...NO_SETTINGS, ...settings })
    const { rows, failure } = await importAgents(api, clients, isTrial)
    assert.equal(failure, undefined)
    return rows as readonly Outcome[]
  }
  return {
    post,
    importing,
    fromKeycloak: (...clients: readonly object[]) =>
      importing({ source: 'keycloak', document: realmExport(...clients) }),
    fromHydra: (...document: readonly object[]) => importing({ source: 'hydra', document }),
  }
}

export type Imports = ReturnType<typeof importsInto>

type Wish = Partial<Omit<ImportedAgent, 'credential'>> & { readonly credential?: Partial<ImportedAgent['credential']> }

/** Makes an agent to import, with a hash of an unknown secret unless the wish says otherwise. */
export const importedAgent = ({ credential, ...wish }: Wish = {}): ImportedAgent => {
  const { name: _none, ...blank } = BLANK_SETTINGS
  const id = randomUUID()
  return {
    ...blank,
    id,
    clientId: `imported-${id}`,
    names: [`imported ${id}`],
    scopes: ['db:*'],
    resources: ['*'],
    isDisabled: false,
    ...wish,
    credential: {
      id: randomUUID(),
      secretHash: '',
      isImported: true,
      foreignHash: pbkdf2Hash('a secret of another server'),
      expiresAt: null,
      ...credential,
    },
  }
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** Returns a hash as Ory Hydra writes it. */
export const pbkdf2Hash = (secret: string, iterations = 25_000, digest: 'sha256' | 'sha512' = 'sha256'): string => {
  const [salt, length] = [randomBytes(16), 32]
  const key = pbkdf2Sync(secret, salt, iterations, length, digest)
  return `$pbkdf2-${digest}$i=${iterations},l=${length}$${unpadded(salt)}$${unpadded(key)}`
}
