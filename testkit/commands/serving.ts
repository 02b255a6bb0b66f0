// A service that runs, and commands beside it on the same store.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Timing } from '../../server/src/ports/timing.ts'
import { postForm } from '../services/fetch-described.ts'
import {
  freePorts,
  KEY,
  makeFolder,
  run,
  runAside,
  type Scope,
  serveVariables,
  start,
  type Variables,
} from './run-mintmark.ts'

type Credentials = { readonly agent_id: string; readonly client_id: string; readonly client_secret: string }
type ApiKey = { readonly api_key_id: string; readonly api_key: string }

const READER = ['--permission', 'tokens:introspect', 'tokens:read']

/** `timing`: instead of waits of production. */
export const startServing = async (t: Scope, timing?: Partial<Timing>) => {
  const folder = makeFolder(t)
  const [port] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const variables = serveVariables(port)
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const ready = /another audience\.\n/
  await start(t, folder, { args: ['serve'], variables, ready, ...(timing && { timing }) })
  const json = (...args: readonly string[]): unknown => JSON.parse(run(folder, [...args, '--json']).stdout)
  return { folder, url, json }
}

export type Serving = Awaited<ReturnType<typeof startServing>>

export const createAgent = ({ json }: Serving) =>
  json('agent', 'create', '--name', randomUUID(), '--scope', 'db:read', '--default-scope', 'db:read') as Credentials

export const createApiKey = ({ json }: Serving) => json('api-key', 'create', '--name', 'k', ...READER) as ApiKey

const post = async (address: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
  const response = await postForm(address, fields, headers)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

export const issue = ({ url }: Serving, { client_id, client_secret }: Credentials) =>
  post(`${url}/oauth/token`, { grant_type: 'client_credentials', client_id, client_secret })

export const introspect = ({ url }: Serving, { api_key }: ApiKey, token: unknown) =>
  post(`${url}/oauth/introspect/v2`, { token: String(token) }, { 'x-api-key': api_key })

export const idOf = (token: unknown): string => {
  const [, payload = ''] = String(token).split('.')
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string }).jti
}

/** A folder elsewhere from which the service is asked with an API key of these permissions, and both ways to run a command. */
export const makeBoth = (t: Scope, { folder, url, json }: Serving, ...permissions: readonly string[]) => {
  const { api_key: key, api_key_id: keyId } = json(
    'api-key',
    'create',
    '--name',
    'ops',
    '--permission',
    ...permissions,
  ) as ApiKey
  const elsewhere = makeFolder(t)
  writeFileSync(join(elsewhere, 'key'), `${key}\n`)
  const here: Variables = { MINTMARK_BASE_URL: url, MINTMARK_KEY_ENCRYPTION_KEY: KEY }
  const there: Variables = { MINTMARK_URL: url, MINTMARK_API_KEY_FILE: join(elsewhere, 'key') }
  const runHere = (args: readonly string[], input = '', more: Variables = {}) =>
    runAside(folder, args, { variables: { ...here, ...more }, input })
  const runThere = (args: readonly string[], input = '', more: Variables = {}) =>
    runAside(elsewhere, args, { variables: { ...there, ...more }, input })
  const both = (args: readonly string[], input = '', more: Variables = {}) =>
    Promise.all([runHere(args, input, more), runThere(args, input, more)])
  return { key, keyId, elsewhere, runHere, runThere, both }
}
