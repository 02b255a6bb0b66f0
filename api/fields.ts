// Schemas that several operations share. Each parses, refuses with one sentence and describes itself in the document.
import { z } from 'zod'
import { AUDIENCE_CHARACTERS_MAX, isResource } from './values/audience.ts'
import { GRACE_SECONDS_MAX } from './values/credentials.ts'
import { IDS_OPENED_MAX, LISTED_IDS_MAX, PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from './values/lists.ts'
import { isName, isNamePart, NAME_FORM, NAME_PART_FORM, isNote, NOTE_FORM, unprintableIn } from './values/name.ts'
import { type Milliseconds, parseTime } from './values/time.ts'
import { parseUuid } from './values/uuid.ts'

/** Which error a wrong value is; `invalid_request` unless it is said. */
type InputError = 'invalid_scope' | 'invalid_target'

type Meta = Readonly<Record<string, unknown>>

type Rule<T> = {
  /** Undefined where the text is wrong. */
  readonly parse: (text: string) => T | undefined
  /** What was expected, to follow "is not". */
  readonly form: string
  readonly error?: InputError
  /** What to say where it is not there. */
  readonly missing?: string
  readonly meta?: Meta
}

/** A text that a rule turns into a value. */
export const parsed = <T>({ parse, form, error, missing, meta = {} }: Rule<T>) =>
  z
    .string(missing === undefined ? undefined : { error: missing })
    .transform((text, context): T => {
      const value = parse(text)
      if (value !== undefined) return value
      context.addIssue({ code: 'custom', message: `is not ${form}`, params: { error } })
      return z.NEVER
    })
    .meta(meta)

/** A text that a rule takes as it is. */
export const text = (is: (value: string) => boolean, form: string, meta: Meta = {}) =>
  z
    .string()
    .refine(is, { error: ({ input }) => `is not ${form}${typeof input === 'string' ? unprintableIn(input) : ''}` })
    .meta(meta)

/** One of these names. */
export const choice = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, { error: `is not one of ${names.join(', ')}` })

export const wholeNumber = (least: number, most: number, unit = '') => {
  const error = `is not a whole number${unit === '' ? '' : ` of ${unit}`} from ${least} to ${most}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

const TIME_FORM = 'an RFC 3339 time such as 2026-11-21T09:30:05Z'

/** A time in a body. */
export const timeMember = (description: string) =>
  parsed({ parse: parseTime, form: TIME_FORM, meta: { description, format: 'date-time' } })

/** A time in an answer. */
export const time = z.string().meta({ format: 'date-time' })
export const timeOrNull = time.nullable()

/** A UUID in a body, of any case. */
export const uuidMember = (description?: string) =>
  parsed({ parse: parseUuid, form: 'a UUID', meta: { description, format: 'uuid' } })

/** A UUID in an answer. A client_id is none: an imported client keeps its own. */
export const uuid = z.string().meta({ format: 'uuid' })
export const uuidOrNull = uuid.nullable()

/** Other members of an answer. */
export const count = z.int()
export const countOrNull = count.nullable()
export const textOrNull = z.string().nullable()
export const texts = z.array(z.string())
export const flag = z.boolean()

/** For the document: no space at either end. No regular expression that all languages share describes printable text. */
export const TRIMMED = '^\\S(?:[\\s\\S]*\\S)?$'

export const name = text(isName, NAME_FORM, { pattern: TRIMMED, minLength: 1, maxLength: 100 })

/** For those who read the audit log and the history later. */
export const note = text(isNote, NOTE_FORM, {
  description: `For those who read the audit log and the history later: ${NOTE_FORM}.`,
  pattern: TRIMMED,
  minLength: 1,
  maxLength: 500,
})

/** The body of an act that needs none but takes a note; it may be left out. */
export const noteBody = z.strictObject({ note: note.nullish() }).default({})

/** What `suspended_at` of a record means. */
export const suspendedAt = timeOrNull.describe(
  'Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it.',
)

/** `managed_by` of a record. */
export const managedBy = textOrNull.describe(
  'The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none.',
)

/** `expires_at` of something new. */
export const expiresAt = timeMember('From then on it is refused. Absent or null: never.').nullish()

export const expiryOf = (at: Milliseconds | null | undefined): { readonly at: Milliseconds } | null =>
  at === null || at === undefined ? null : { at }

/** The body of a rotation. */
export const rotateBody = z.strictObject({
  grace_seconds: wholeNumber(0, GRACE_SECONDS_MAX, 'seconds').describe('How long the old one is still taken.'),
  expires_at: expiresAt,
})

/** The default audience of a service need not be a URI. */
const AUDIENCE_PATTERN = '^[\\x21-\\x7E]{1,512}$'
const AUDIENCE = new RegExp(AUDIENCE_PATTERN)

/** Longer than any plan. */
const PLAN_CHARACTERS_MAX = 512

/** What a dry run or a plan was given to be named by. */
export const planId = z.string().max(PLAN_CHARACTERS_MAX, { error: `has more than ${PLAN_CHARACTERS_MAX} characters` })

/** What a token may be for. */
export const audience = text(value => AUDIENCE.test(value), '1 to 512 printable ASCII characters without spaces', {
  pattern: AUDIENCE_PATTERN,
})

/** A resource, or what else is allowed as audience of a token. */
export const resource = parsed({
  parse: value => (isResource(value) ? value : undefined),
  form: 'an absolute URI without a fragment',
  error: 'invalid_target',
  meta: { format: 'uri', maxLength: AUDIENCE_CHARACTERS_MAX },
})

/** For the document: a member that is there, and not null. */
export const present = (member: string) => ({
  required: [member],
  properties: { [member]: { not: { type: 'null' } } },
})

/** For the document: exactly one of these members is there. */
export const exactlyOneOf = (members: readonly string[]) => ({ oneOf: members.map(present) })

/** A parameter of a query that a rule turns into a value. */
export const parameter = <T>(parse: Rule<T>['parse'], form: string, meta: Meta) =>
  parsed({ parse, form, meta }).optional()

const BOOLEANS: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, false: false }))

export const booleanParameter = (description: string) =>
  parameter(given => BOOLEANS.get(given), 'true or false', { description, type: 'boolean' })

export const matching =
  (form: RegExp) =>
  (value: string): string | undefined =>
    form.test(value) ? value : undefined

export const noteParameter = note.describe('For those who read the audit log and the history later.').optional()

export const timeParameter = (description: string) =>
  parameter(parseTime, `${TIME_FORM} (encode a + as %2B)`, { description, format: 'date-time' })

/** As the audit log holds it: an id of ours, a user of the system, `iss` or `sub` of an identity provider. */
const ACTOR = /^[^\p{C}]{1,512}$/u

export const actorParameter = (description: string) =>
  parameter(matching(ACTOR), '1 to 512 printable characters', { description, minLength: 1, maxLength: 512 })

export const uuidParameter = (description: string) => uuidMember(description).optional()

/** RFC 6749 Appendix A.1, and a bound. */
const CLIENT_ID = '^[\\x20-\\x7E]{1,255}$'

export const clientIdParameter = (description: string) =>
  parameter(matching(new RegExp(CLIENT_ID)), '1 to 255 printable ASCII characters', { description, pattern: CLIENT_ID })

/** A parameter that is one of these names. */
export const choiceParameter = <const Names extends readonly [string, ...string[]]>(names: Names, meta: Meta) =>
  choice(names).meta(meta).optional()

const LIMIT = /^[1-9]\d{0,3}$/
/** A cursor may hold an id and a name: 100 characters, each of up to twelve once it is percent-encoded. */
const CURSOR_CHARACTERS_MAX = 1320

const parseLimit = (value: string): number | undefined =>
  LIMIT.test(value) && Number(value) <= PAGE_RECORDS_MAX ? Number(value) : undefined

export const limitParameter = (description: string) =>
  parameter(parseLimit, `a whole number from 1 to ${PAGE_RECORDS_MAX}`, {
    description,
    type: 'integer',
    minimum: 1,
    maximum: PAGE_RECORDS_MAX,
    default: PAGE_RECORDS_DEFAULT,
  })

/** A number of things that are not always all counted. */
export const countRecord = z.object({
  count: z.int(),
  exact: z.boolean().describe('False: there are at least so many.'),
})

/** The paging parameters of every list. */
export const paging = {
  limit: limitParameter('Records in a page, at most.'),
  cursor: parameter(matching(new RegExp(`^[\\x21-\\x7E]{1,${CURSOR_CHARACTERS_MAX}}$`)), 'a cursor of this list', {
    description: '`next_cursor` of the page before, with the same filters.',
    maxLength: CURSOR_CHARACTERS_MAX,
  }),
}

export const pageOf = <Record extends z.ZodType>(record: Record) =>
  z.object({
    data: z.array(record),
    next_cursor: z.string().nullable().describe('Null on the last page. A page before it may be short, even empty.'),
  })

/** The members of a list's row: its filters and pages, its records, and an example of one. */
export const listing = <Record extends z.ZodType, Filters extends z.ZodRawShape>(
  record: Record,
  example: object,
  filters: Filters,
) => ({
  query: z.object({ ...filters, ...paging }),
  answers: { 200: pageOf(record) },
  example: { answer: { data: [example], next_cursor: null } },
})

const searched = (what: string, description: string) =>
  parameter(given => (isNamePart(given) ? given : undefined), `${what}: ${NAME_PART_FORM}`, { description })

export const nameParameter = (description: string) =>
  parameter(given => (isName(given) ? given : undefined), NAME_FORM, { description })

/** For the document. */
const OPENING = 'or as the beginning of one (4 characters or more)'

/** A search of names by their beginning. */
const searchParameter = searched(
  'an id, the beginning of one, or that of a name',
  `What has this as its id, ${OPENING}, and what has a name that opens so.`,
)

/** A search of names, owners and labels by any part of them. */
export const textSearchParameter = searched(
  'an id, the beginning of one, or part of a name',
  `What has this as its id or that of its client, ${OPENING}, ${IDS_OPENED_MAX} of them at most, and what has it anywhere in its name, its owner, or the key or value of a label, whatever the case of ASCII letters. First the one with this whole id, or else with this whole name.`,
)

export const idPrefixParameter = searched(
  'the beginning of an id',
  `Only what has this as its id, that of its client or that of one of its credentials, ${OPENING}: ${IDS_OPENED_MAX} at most by its own ids, and by the first ${IDS_OPENED_MAX} such credentials.`,
)

/** The filters of lists whose records have a name and an id. Names are compared exactly, as where they must be unique. */
export const nameFilters = {
  name: nameParameter('Only what has this name.'),
  name_prefix: searched('the beginning of a name', 'Only what has a name that opens so.'),
  q: searchParameter,
}

/** A parameter that may repeat: any of its values. */
export const anyOf = <Value extends z.ZodType>(value: Value, description: string) =>
  z.array(value).max(LISTED_IDS_MAX, `is given more than ${LISTED_IDS_MAX} times`).meta({ description }).optional()

const refineNames = (query: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
  const other = ['name_prefix', 'q'].find(one => query[one] !== undefined)
  if (query['name'] === undefined || other === undefined) return
  context.addIssue({ code: 'custom', path: ['name'], message: `goes without ${other}: it is a whole name` })
}

/** The same with filters by name. */
export const namedListing = <Record extends z.ZodType, Filters extends z.ZodRawShape>(
  record: Record,
  example: object,
  filters: Filters,
) => {
  const listed = listing(record, example, filters)
  return { ...listed, query: listed.query.superRefine(refineNames) }
}

/** Beside `data` where a filter names what this version does not know: an empty page then says nothing of it. */
export const unknownNames = texts
  .optional()
  .describe('Names in the filter that are not known, perhaps mistyped: nothing can match them. Absent where all are.')

const sizeOf = (value: unknown): number => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0)

/** The schema, asked only of what has so many members at most: each that is wrong costs, and a body may hold millions. */
export const atMost = <Schema extends z.ZodType>(max: number, schema: Schema) =>
  z.preprocess((value, context) => {
    if (sizeOf(value) <= max) return value
    context.addIssue({ code: 'custom', message: `has more than ${max} members` })
    return z.NEVER
  }, schema)
