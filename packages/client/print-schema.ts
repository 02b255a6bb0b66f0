// Prints a JSON Schema as a type of TypeScript, for generate.ts.

export type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly format?: string
  readonly default?: unknown
  /** Of a member that may be left out, and not be undefined. */
  readonly isDefinite?: true
}

/** Returns undefined if a schema has no name. */
type NameOf = (schema: JsonSchema) => string | undefined

/** Whether two schemas are of the same values: what is said about them for people does not count. */
export const contentOf = (schema: JsonSchema): string => JSON.stringify({ ...schema, description: undefined })

export const commentOf = ({ description }: JsonSchema): string =>
  description === undefined ? '' : `/** ${description.replaceAll('*/', '*\\/')} */\n`

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'boolean',
  number: 'number',
  integer: 'number',
  null: 'null',
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : String(value)

const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

const printObject = (schema: JsonSchema, nameOf: NameOf): string => {
  const { properties = {}, required = [], additionalProperties } = schema
  const members = Object.entries(properties).map(([name, member]) => {
    const isRequired = required.includes(name)
    const type = printSchema(member, nameOf) + (isRequired || member.isDefinite ? '' : ' | undefined')
    return `${commentOf(member)}readonly ${memberName(name)}${isRequired ? '' : '?'}: ${type}`
  })
  if (members.length > 0) return `{\n${members.join('\n')}\n}`
  const value = typeof additionalProperties === 'object' ? printSchema(additionalProperties, nameOf) : 'unknown'
  return `Readonly<Record<string, ${value}>>`
}

const printArray = ({ items = {} }: JsonSchema, nameOf: NameOf): string => {
  const item = printSchema(items, nameOf)
  return `readonly ${/^[\w$]+$/.test(item) ? item : `(${item})`}[]`
}

/** Beside a type they only say which members go together, or which form a text has. */
const alternativesOf = ({ anyOf, oneOf, type }: JsonSchema): readonly JsonSchema[] =>
  type === undefined ? (anyOf ?? oneOf ?? []) : []

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

const printContent = (schema: JsonSchema, nameOf: NameOf): string => {
  const { const: only, enum: names, type } = schema
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return union(alternatives.map(one => printSchema(one, nameOf)))
  if (only !== undefined) return literal(only)
  if (names !== undefined) return union(names.map(literal))
  if (typeof type === 'object') return union(type.map(one => printContent({ ...schema, type: one }, nameOf)))
  if (type === 'object') return printObject(schema, nameOf)
  if (type === 'array') return printArray(schema, nameOf)
  return PRIMITIVES[type ?? ''] ?? 'unknown'
}

/** `own` is the schema whose name is being declared. */
export const printSchema = (schema: JsonSchema, nameOf: NameOf, own?: JsonSchema): string =>
  (schema === own ? undefined : nameOf(schema)) ?? printContent(schema, nameOf)
