// The administration without HTTP, for the user at the terminal: a request is read by the schemas of its row, as one from the
// network is, and run by its binding. A subject is loaded when one of its operations is called.
import { z } from 'zod'
import { type Operation, subjectOf } from '../../../../api/operation.ts'
import type { Origin } from '../../domain/caller.ts'
import { isRefused, type OrRefusal, type Refusal } from '../../domain/refusal.ts'
import { readQuery } from '../wire/fields.ts'
import { makeJsonReader } from '../wire/json-body.ts'
import { ERRORS } from '../wire/error-reference.ts'
import type { ActBinding, Input, ListBinding } from './binding.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import type { ExportBinding, NextText, TextPage } from './export-binding.ts'

type Binding = ActBinding | ListBinding | ExportBinding

const SUBJECTS: Readonly<Record<string, () => Promise<{ readonly bindings: readonly Binding[] }>>> = {
  agents: () => import('./agents.ts'),
  credentials: () => import('./credentials.ts'),
  'api-keys': () => import('./api-keys.ts'),
  'leaked-secrets': () => import('./leaked-secrets.ts'),
  issuers: () => import('./issuers.ts'),
  imports: () => import('./imports.ts'),
  managed: () => import('./managed.ts'),
  keys: () => import('./signing-keys.ts'),
  tokens: () => import('./tokens.ts'),
  usage: () => import('./usage.ts'),
  status: () => import('./status.ts'),
  revocations: () => import('./revocations.ts'),
  verifiers: () => import('./verifiers.ts'),
  settings: () => import('./settings.ts'),
  sessions: () => import('./sessions.ts'),
  audit: () => import('./audit.ts'),
  exports: () => import('./exports.ts'),
  oauth: () => import('./introspection.ts'),
}

type QueryValue = string | number | boolean | readonly string[] | undefined

/** What a member leaves undefined is not asked. */
type DirectRequest = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  readonly body?: unknown
}

const bindingOf = async (row: Operation): Promise<Binding> => {
  const found = (await SUBJECTS[subjectOf(row)]?.())?.bindings.find(({ row: { id } }) => id === row.id)
  if (found === undefined) throw new Error(`${row.id} is not bound.`)
  return found
}

const pairsOf = (query: DirectRequest['query'] = {}) =>
  Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map(one => [name, String(one)] as const),
  )

const NOTHING = z.undefined()

const readInput = (row: Operation, { path = {}, query, body }: DirectRequest): OrRefusal<Input> => {
  const asked = row.query === undefined ? { value: undefined } : readQuery(row.query, pairsOf(query))
  if ('error' in asked) return asked.error
  const schema: z.ZodType = row.body ?? row.form ?? NOTHING
  // Read from text, though it is at hand as a value: the schemas alone pass over a member `__proto__`.
  const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  const said = makeJsonReader(schema, row.bodyValues)(text)
  return 'error' in said ? said.error : { path, query: asked.value, body: said.value }
}

const run = async (
  binding: ActBinding | ListBinding,
  ports: AdministrationPorts,
  origin: Origin,
  input: Input,
): Promise<OrRefusal<{ readonly body: unknown }>> => {
  if (binding.kind === 'act') return binding.run(ports, origin, input)
  const page = await binding.run(ports, origin.caller, input)
  return isRefused(page) ? page : { body: page }
}

async function* textsFrom(first: TextPage, next: NextText) {
  let page: OrRefusal<TextPage> = first
  while (true) {
    if (isRefused(page)) throw new Error(page.refusal.description)
    yield page.text
    if (page.isLast) return
    page = await next()
  }
}

type DirectRefusal = { readonly refusal: Refusal; readonly status: number }

const refused = ({ refusal }: { readonly refusal: Refusal }): DirectRefusal => ({
  refusal,
  status: ERRORS[refusal.code].status,
})

/** Runs operations as `origin`: the answer, or why it is refused; throws what the operation throws. */
export const makeDirect = (ports: AdministrationPorts, origin: Origin) => ({
  call: async (row: Operation, request: DirectRequest): Promise<{ readonly body: unknown } | DirectRefusal> => {
    const binding = await bindingOf(row)
    if (binding.kind === 'export') throw new Error(`${row.id} is an export.`)
    const input = readInput(row, request)
    const answer = isRefused(input) ? input : await run(binding, ports, origin, input)
    return isRefused(answer) ? refused(answer) : answer
  },
  /** The text of an export, as it is read. */
  stream: async (
    row: Operation,
    request: DirectRequest,
  ): Promise<{ readonly texts: AsyncIterable<string> } | DirectRefusal> => {
    const binding = await bindingOf(row)
    if (binding.kind !== 'export') throw new Error(`${row.id} is no export.`)
    const input = readInput(row, request)
    if (isRefused(input)) return refused(input)
    const { caller } = origin
    const next = binding.run(ports, { reader: caller, recognize: () => Promise.resolve(caller) }, input.query)
    const first = await next()
    return isRefused(first) ? refused(first) : { texts: textsFrom(first, next) }
  },
})
