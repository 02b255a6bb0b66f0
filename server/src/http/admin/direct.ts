// The administration without HTTP, for the user at the terminal: a request is read by the schemas of its row, as one from the
// network is, and run by its binding. A subject is loaded when one of its operations is called.
import { z } from 'zod'
import { type Operation, subjectOf } from '../../../../api/operation.ts'
import type { Origin } from '../../domain/caller.ts'
import { isRefused, type OrRefusal, type Refusal } from '../../domain/refusal.ts'
import type { AdministrationPorts } from '../../ports/ports.ts'
import { readQuery } from '../wire/fields.ts'
import { parseValue } from '../wire/json-body.ts'
import { ERRORS } from '../wire/error-reference.ts'
import type { Binding, Input } from './binding.ts'

const SUBJECTS: Readonly<Record<string, () => Promise<{ readonly bindings: readonly Binding[] }>>> = {
  agents: () => import('./agents.ts'),
}

type QueryValue = string | number | boolean | readonly string[] | undefined

/** What a member leaves undefined is not asked. */
export type DirectRequest = {
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
  const said = parseValue<unknown>(row.body ?? NOTHING, body)
  return 'error' in said ? said.error : { path, query: asked.value, body: said.value }
}

const run = async (
  binding: Binding,
  ports: AdministrationPorts,
  origin: Origin,
  input: Input,
): Promise<OrRefusal<{ readonly body: unknown }>> => {
  if (binding.kind === 'act') return binding.run(ports, origin, input)
  const page = await binding.run(ports, origin.caller, input)
  return isRefused(page) ? page : { body: page }
}

export type DirectAnswer = { readonly body: unknown } | { readonly refusal: Refusal; readonly status: number }

/** Runs one operation as `origin`. The body of its answer, or why it is refused; throws what the operation throws. */
export const makeDirectCall =
  (ports: AdministrationPorts, origin: Origin) =>
  async (row: Operation, request: DirectRequest): Promise<DirectAnswer> => {
    const binding = await bindingOf(row)
    const input = readInput(row, request)
    const answer = isRefused(input) ? input : await run(binding, ports, origin, input)
    return isRefused(answer) ? { refusal: answer.refusal, status: ERRORS[answer.refusal.code].status } : answer
  }
