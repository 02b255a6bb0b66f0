// Writes src/administration/generated/: the types of the administration, and the table of its operations, from the rows of
// api/. `node setup.mjs packages/client/generate.ts` after a change there; a test fails until it has been run.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { methodOf, type Operation, pathOf, subjectOf } from '../../api/operation.ts'
import { OPERATIONS } from '../../api/operations.ts'
import { agentRecord } from '../../api/agents.ts'
import { auditRecord } from '../../api/audit.ts'
import { countRecord } from '../../api/fields.ts'
import { actor } from '../../api/names.ts'
import { endsCounted } from '../../api/dry-run.ts'
import { endedTokenRecord, tokenRecord } from '../../api/tokens.ts'
import { isDefiniteIn } from './src/administration/request-parts.ts'
import { commentOf, contentOf, type JsonSchema, printSchema } from './print-schema.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(import.meta.dirname, 'src/administration/generated')

/** Schemas of several operations, whose names say what they are. */
const SHARED: Readonly<Record<string, z.ZodType>> = {
  agentRecord,
  tokenRecord,
  endedTokenRecord,
  auditRecord,
  actor,
  count: countRecord,
  endsCounted,
}

type Kind = 'call' | 'list' | 'records'

type Shape = {
  readonly row: Operation
  readonly kind: Kind
  /** The schemas by part of the request: `query` or `body`. */
  readonly parts: Readonly<Record<string, JsonSchema>>
  readonly answer: JsonSchema | undefined
  /** The schema of one record of a list or an export. */
  readonly record: JsonSchema | undefined
}

const schemaOf = (schema: z.ZodType): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest as JsonSchema
}

const isSchema = (answer: unknown): answer is z.ZodType => answer instanceof z.ZodType

const NDJSON = 'application/x-ndjson'

/** The schemas of successful responses that are not empty. */
const answersOf = ({ answers }: Operation): readonly JsonSchema[] =>
  Object.entries(answers)
    .filter(([status, answer]) => Number(status) < 300 && isSchema(answer) && !(answer instanceof z.ZodUndefined))
    .map(([, answer]) => schemaOf(answer as z.ZodType))

const unionOf = (schemas: readonly JsonSchema[]): JsonSchema | undefined => {
  const alternatives = new Map(schemas.flatMap(one => one.anyOf ?? [one]).map(one => [contentOf(one), one] as const))
  return alternatives.size > 1 ? { anyOf: [...alternatives.values()] } : [...alternatives.values()][0]
}

const withoutMember = (schema: JsonSchema, name: string): JsonSchema => {
  const { [name]: _, ...properties } = schema.properties ?? {}
  return { ...schema, properties }
}

/** The schema with its members marked that are refused where they are undefined. */
const markDefinite = ({ properties, ...schema }: JsonSchema, id: string): JsonSchema => {
  if (properties === undefined) return schema
  const isDefinite = isDefiniteIn(id)
  const members = Object.entries(properties).map(([name, member]): [string, JsonSchema] => [
    name,
    isDefinite(name) ? { ...member, isDefinite: true } : member,
  ])
  return { ...schema, properties: Object.fromEntries(members) }
}

const shapeOf = (row: Operation): Shape => {
  const lines = row.answers[200]
  const records = lines !== undefined && 'content' in lines ? lines.content[NDJSON]?.schema : undefined
  const answer = unionOf(answersOf(row))
  const properties = answer?.properties ?? {}
  const kind = records === undefined ? ('next_cursor' in properties ? 'list' : 'call') : 'records'
  const query = row.query === undefined ? undefined : markDefinite(schemaOf(row.query), row.id)
  const parts = {
    // An export is read as lines of JSON; a list asks for its next page by itself.
    ...(query !== undefined && { query: withoutMember(query, kind === 'records' ? 'format' : '') }),
    ...(row.body !== undefined && { body: markDefinite(schemaOf(row.body), row.id) }),
  }
  const record = records === undefined ? properties['data']?.items : schemaOf(records)
  return { row, kind, parts, answer, record: kind === 'call' ? undefined : record }
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

const SHAPES = OPERATIONS.filter(row => pathOf(row).startsWith('/api/v1/')).map(shapeOf)

/** What shows a thing names its record best. */
const SHOWING_FIRST = SHAPES.toSorted(
  (a, b) => Number(b.row.id.startsWith('show')) - Number(a.row.id.startsWith('show')),
)

type Named = { readonly name: string; readonly subject: string; readonly schema: JsonSchema }

/** What gets a name, by its content: each schema once, under the name that it gets first. */
const nameSchemas = (): ReadonlyMap<string, Named> => {
  const named = new Map<string, Named>()
  const add = (name: string, subject: string, schema: JsonSchema | undefined): void => {
    const alternatives = schema?.anyOf ?? []
    if (schema === undefined || alternatives.some(one => named.has(contentOf(one)))) return
    if (!named.has(contentOf(schema))) named.set(contentOf(schema), { name, subject, schema })
  }
  const SUBJECT_OF: Readonly<Record<string, string>> = {
    agentRecord: 'agents',
    auditRecord: 'audit',
    actor: 'actor',
    endsCounted: 'dry-run',
  }
  for (const [name, schema] of Object.entries(SHARED))
    add(capitalize(name), SUBJECT_OF[name] ?? 'tokens', schemaOf(schema))
  for (const { row, kind, answer } of SHOWING_FIRST) {
    if (kind === 'call') add(`${capitalize(row.id)}Answer`, subjectOf(row), answer)
  }
  for (const { row, record } of SHAPES) add(`${capitalize(row.id)}Record`, subjectOf(row), record)
  for (const { row, kind, answer } of SHAPES) {
    if (kind === 'list') add(`${capitalize(row.id)}Page`, subjectOf(row), answer)
  }
  for (const { row, parts } of SHAPES) {
    for (const [part, schema] of Object.entries(parts))
      add(capitalize(row.id) + capitalize(part), subjectOf(row), schema)
  }
  return named
}

const NAMED = nameSchemas()

/** Prints schemas, and notes the named ones that they refer to. */
const makePrinter = () => {
  const used = new Set<Named>()
  const nameOf = (schema: JsonSchema): string | undefined => {
    const found = NAMED.get(contentOf(schema))
    if (found !== undefined) used.add(found)
    return found?.name
  }
  return { used, nameOf, print: (schema: JsonSchema): string => printSchema(schema, nameOf) }
}

const HEAD = '// Made by packages/client/generate.ts from the rows of api/: change those, and run it.\n'

const importsOf = (used: ReadonlySet<Named>, own: string): string => {
  const subjects = [...new Set([...used].map(({ subject }) => subject))].filter(one => one !== own).toSorted()
  return subjects
    .map(subject => {
      const names = [...used].filter(one => one.subject === subject).map(({ name }) => name)
      return `import type { ${[...new Set(names)].toSorted().join(', ')} } from './${subject}.ts'\n`
    })
    .join('')
}

const printSubject = (subject: string): string => {
  const { used, nameOf } = makePrinter()
  const types = [...NAMED.values()]
    .filter(one => one.subject === subject)
    .map(({ name, schema }) => `${commentOf(schema)}export type ${name} = ${printSchema(schema, nameOf, schema)}\n`)
  return [HEAD, importsOf(used, subject), '\n', types.join('\n')].join('')
}

const isCreating = ({ answers }: Operation): boolean => 201 in answers

const isOptional = (schema: JsonSchema): boolean => 'default' in schema || (schema.required ?? []).length === 0

const parametersOf = (row: Operation): readonly string[] =>
  [...pathOf(row).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** The parameter of a method, as its declaration has it. */
const requestOf = ({ row, parts }: Shape, print: (schema: JsonSchema) => string) => {
  const path = parametersOf(row)
  const absent = methodOf(row) === 'GET' ? ' | undefined' : ''
  const members = [
    ...(path.length > 0 ? [`readonly path: { ${path.map(name => `readonly ${name}: string`).join('; ')} }`] : []),
    ...Object.entries(parts).map(
      ([part, schema]) =>
        `readonly ${part}${isOptional(schema) ? '?' : ''}: ${print(schema)}${isOptional(schema) ? absent : ''}`,
    ),
  ]
  const options = isCreating(row) ? 'CreationOptions' : 'CallOptions'
  const type = members.length === 0 ? options : `{ ${members.join('; ')} } & ${options}`
  const mayBeAbsent = path.length === 0 && Object.values(parts).every(isOptional)
  return { type, declaration: `request${mayBeAbsent ? '?' : ''}: ${type}` }
}

const isCounted = ({ properties }: JsonSchema): boolean => properties?.['dry_run'] !== undefined

/** The type of the method of an operation. */
const methodTypeOf = (shape: Shape, print: (schema: JsonSchema) => string): string => {
  const { type, declaration } = requestOf(shape, print)
  const alternatives = shape.answer?.anyOf ?? [shape.answer ?? {}]
  const counted = alternatives.find(isCounted)
  const [done] = alternatives.filter(one => !isCounted(one))
  // A dry run of an import is answered as an import.
  const isAnsweredAlike = done === undefined && !(204 in shape.row.answers)
  if (counted === undefined || isAnsweredAlike) return `(${declaration}) => ${resultOf(shape, print)}`
  const part = 'body' in shape.parts ? 'body' : 'query'
  return `Tryable<'${part}', ${type}, ${done === undefined ? 'void' : print(done)}, ${print(counted)}>`
}

const resultOf = ({ kind, answer, record }: Shape, print: (schema: JsonSchema) => string): string => {
  if (kind === 'records') return `AsyncIterable<${print(record ?? {})}>`
  if (kind === 'list') return `List<${print(record ?? {})}, ${print(answer ?? {})}>`
  return `Promise<${answer === undefined ? 'void' : print(answer)}>`
}

const printAdministration = (): string => {
  const { used, print } = makePrinter()
  const methods = SHAPES.map(shape => {
    const { id, summary, route } = shape.row
    return `/** ${summary}: \`${route}\`. */\nreadonly ${id}: ${methodTypeOf(shape, print)}`
  })
  const type = `/** The administration of a service: a method for each operation of the API, by its id. */\nexport type Administration = {\n${methods.join('\n')}\n}\n`
  const options =
    "import type { CallOptions, CreationOptions, Tryable } from '../call.ts'\nimport type { List } from '../lists.ts'\n"
  return [HEAD, options, importsOf(used, 'administration'), '\n', type].join('')
}

const printOperations = (): string => {
  const rows = SHAPES.map(({ row, kind }) => {
    const method = methodOf(row)
    const marks = `kind: '${kind}', creates: ${isCreating(row)}, mayBeEmpty: ${204 in row.answers}`
    return `${row.id}: { method: '${method}', path: '${pathOf(row)}', ${marks} },`
  })
  return `${HEAD}import type { ApiOperation } from '../call.ts'\n\n/** Every operation of the administration, by its id. */\nexport const OPERATIONS = {\n${rows.join('\n')}\n} as const satisfies Readonly<Record<string, ApiOperation>>\n`
}

const format = (folder: string): void => {
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')
  const flags = ['format', '--write', '--config-path', ROOT, '--vcs-enabled=false', folder]
  const { status, stderr } = spawnSync(process.execPath, [biome, ...flags], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`biome did not format what was made: ${stderr}`)
}

/** The files by their names, formatted. */
export const generate = (): ReadonlyMap<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-generated-'))
  try {
    const subjects = [...new Set([...NAMED.values()].map(({ subject }) => subject))]
    for (const subject of subjects) writeFileSync(join(folder, `${subject}.ts`), printSubject(subject))
    writeFileSync(join(folder, 'administration.ts'), printAdministration())
    writeFileSync(join(folder, 'operations.ts'), printOperations())
    format(folder)
    return new Map(readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What is committed now. */
export const readGenerated = (): ReadonlyMap<string, string> =>
  new Map(readdirSync(FOLDER).map(name => [name, readFileSync(join(FOLDER, name), 'utf8')]))

if (import.meta.main) {
  const files = generate()
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, text] of files) writeFileSync(join(FOLDER, name), text)
}
