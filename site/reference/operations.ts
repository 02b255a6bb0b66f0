// The reference of the API: a page for each subject, made from the OpenAPI document of a service, which the rows of api/ add up to.
import { startServer } from '../../testkit/services/test-server.ts'
import { type Row, rowsOf, type Schema, tableOf, typeOf } from './fields.ts'

type Media = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>
type Named = { readonly $ref?: string }
type Response = Named & { readonly description: string; readonly content?: Media }
type Parameter = Named & {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Media }
  readonly responses: Readonly<Record<string, Response>>
}

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** How each scheme of the document is called in a sentence, with what it needs. */
const SCHEMES: Readonly<Record<string, (needed: string) => string>> = {
  clientForm: () => 'a client, with its secret in the form',
  clientBasic: () => 'a client, by HTTP Basic',
  clientCertificate: () => 'a client, by its certificate',
  apiKey: needed => `an API key with the permission \`${needed}\``,
  apiKeyBasic: needed => `the same key by HTTP Basic${needed === '' ? '' : ` (\`${needed}\`)`}`,
  issuerJwt: () => 'a trusted issuer, with a JWT of its own',
  identityProviderJwt: needed => `an operator with the role \`${needed}\``,
}

const readDocument = async (): Promise<Document> => {
  const service = await startServer()
  try {
    return (await service.inject({ url: '/openapi.json' })).json<Document>()
  } finally {
    await service.close()
  }
}

const resolveIn =
  ({ components }: Document) =>
  <T extends Named>(part: T): T => {
    const [kind = '', name = ''] = part.$ref?.split('/').slice(-2) ?? []
    return kind === '' ? part : (components[kind]?.[name] as T) // the document is whole: a test of the contract says so
  }

const callersOf = ({ security = [] }: Operation): string => {
  const callers = security.flatMap(Object.entries).map(([scheme, needed]: [string, readonly string[]]) => {
    const describe = SCHEMES[scheme]
    if (describe === undefined) throw new Error(`site/reference/operations.ts has no words for the scheme ${scheme}.`)
    return describe(needed.join(' '))
  })
  return callers.length === 0 ? 'Anyone may call it.' : `Who may call it: ${callers.join('; ')}.`
}

const fieldTable = (rows: readonly Row[]): string =>
  tableOf(
    ['field', 'type', 'required', 'meaning'],
    rows.map(({ name, type, isRequired, meaning }) => [`\`${name}\``, type, isRequired ? 'yes' : 'no', meaning]),
  )

const parameterTable = (parameters: readonly Parameter[]): string =>
  tableOf(
    ['parameter', 'in', 'type', 'required', 'meaning'],
    parameters.map(({ name, in: place, schema, required = false, description = schema.description ?? '' }) => [
      `\`${name}\``,
      place,
      typeOf(schema),
      required ? 'yes' : 'no',
      description,
    ]),
  )

const exampleOf = (example: unknown): string =>
  example === undefined
    ? ''
    : `\`\`\`${typeof example === 'string' ? 'text' : 'json'}\n${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}\n\`\`\`\n\n`

const contentOf = (title: string, content: Media = {}): string =>
  Object.entries(content)
    .map(([mediaType, { schema = {}, example }]) => {
      const table = fieldTable(rowsOf(schema))
      return `**${title}**, \`${mediaType}\`\n\n${table}${exampleOf(example)}`
    })
    .join('')

const isSuccess = ([status]: readonly [string, unknown]): boolean => Number(status) < 400

/** Links each code to its section. */
const withCodes = (description: string): string => description.replaceAll(/`([a-z_]+)`/g, '[`$1`](../errors.md#$1)')

const writeOperation = (route: string, operation: Operation, document: Document): string => {
  const resolve = resolveIn(document)
  const responses = Object.entries(operation.responses).map(([status, one]) => [status, resolve(one)] as const)
  const successes = responses.filter(isSuccess).map(([status, { content }]) => contentOf(`Response ${status}`, content))
  const refusals = responses
    .filter(one => !isSuccess(one))
    .map(([status, { description }]) => [status, withCodes(description)])
  const description = operation.description === undefined ? '' : `${operation.description}\n\n`
  return [
    `## ${operation.summary}\n\n\`${route}\`, \`${operation.operationId}\`\n\n${description}${callersOf(operation)}\n\n`,
    parameterTable((operation.parameters ?? []).map(resolve)),
    contentOf('Request body', operation.requestBody?.content),
    ...successes,
    `**Refusals**\n\n${tableOf(['status', 'codes'], refusals)}`,
  ].join('')
}

/** The pages in Markdown, by their paths; the first lists all operations. */
export const writeOperations = async (): Promise<ReadonlyMap<string, string>> => {
  const document = await readDocument()
  const sections = new Map<string, string[]>()
  const rows: string[][] = []
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const [subject = 'other'] = operation.tags ?? []
      const route = `${method.toUpperCase()} ${path}`
      sections.set(subject, [...(sections.get(subject) ?? []), writeOperation(route, operation, document)])
      rows.push([`\`${route}\``, operation.summary, `[${subject}](operations/${subject}.md)`])
    }
  }
  const intro = 'Made from the OpenAPI document of this version, which the service serves at `/openapi.json`.'
  const list = `# Operations\n\nEvery operation of the API. ${intro}\n\n${tableOf(['route', 'what it does', 'page'], rows)}`
  const pages = [...sections].map(
    ([subject, texts]) =>
      [`reference/operations/${subject}.md`, `# Operations: ${subject}\n\n${intro}\n\n${texts.join('\n')}`] as const,
  )
  return new Map([['reference/operations.md', list], ...pages])
}
