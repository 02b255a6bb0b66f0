// The fields of a schema as the rows of a table: name, type with its bounds, whether it is required, meaning.

export type Schema = {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

export type Row = {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly meaning: string
}

/** What a zod integer has where nobody set a bound. */
const isSafe = (bound: number | undefined): boolean => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

const rangeOf = (least: number | undefined, most: number | undefined, unit: string): readonly string[] => {
  const [low, high] = [isSafe(least) ? least : undefined, isSafe(most) ? most : undefined]
  const suffix = unit === '' ? '' : ` ${unit}`
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${suffix}`]
  if (high !== undefined) return [`at most ${high}${suffix}`]
  return low === undefined ? [] : [`at least ${low}${suffix}`]
}

const boundsOf = (schema: Schema): readonly string[] => [
  ...rangeOf(schema.minimum, schema.maximum, ''),
  ...rangeOf(schema.minLength, schema.maxLength, 'characters'),
  ...rangeOf(schema.minItems, schema.maxItems, 'items'),
  ...rangeOf(undefined, schema.maxProperties, 'members'),
]

const valueOf = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

const nameOf = (schema: Schema): string => {
  if (schema.const !== undefined) return valueOf(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(valueOf).join(', ')
  const alternatives = schema.type === undefined ? (schema.anyOf ?? schema.oneOf ?? []) : []
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

/** A type in words, with its format and bounds. */
export const typeOf = (schema: Schema): string => {
  const details = [...(schema.format === undefined ? [] : [schema.format]), ...boundsOf(schema)]
  return details.length === 0 ? nameOf(schema) : `${nameOf(schema)} (${details.join(', ')})`
}

const meaningOf = ({ description = '', default: value }: Schema): string =>
  value === undefined ? description : `${description} Default: ${valueOf(value)}.`.trim()

/** The objects among the alternatives of a schema: those that have fields. */
const objectsIn = (schema: Schema): readonly Schema[] =>
  schema.properties === undefined ? [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(objectsIn) : [schema]

/** The fields below a schema; of a list `name[].field`. An object within an object has its fields below its own. */
export const rowsOf = (schema: Schema, prefix = ''): readonly Row[] => {
  const rows = new Map<string, Row>()
  for (const { properties = {}, required = [] } of objectsIn(schema)) {
    for (const [name, field] of Object.entries(properties)) {
      const path = `${prefix}${name}`
      const own = { name: path, type: typeOf(field), isRequired: required.includes(name), meaning: meaningOf(field) }
      const isList = field.type === 'array'
      const below = rowsOf(isList ? (field.items ?? {}) : field, isList ? `${path}[].` : `${path}.`)
      for (const row of [own, ...below]) if (!rows.has(row.name)) rows.set(row.name, row)
    }
  }
  return [...rows.values()]
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')

/** A table in Markdown; nothing for no rows. */
export const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  if (rows.length === 0) return ''
  const lines = [heads, heads.map(() => '---'), ...rows.map(row => row.map(cell))]
  return `${lines.map(line => `| ${line.join(' | ')} |`).join('\n')}\n\n`
}
