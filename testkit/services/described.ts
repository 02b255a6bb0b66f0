// Holds answers, and the requests that were taken, against the OpenAPI document of the service that gave them.
import { withoutByteOrderMark } from '../../server/src/domain/text/text.ts'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Named = { readonly $ref?: string }

type Media = Readonly<Record<string, { readonly schema: AnySchema; readonly example?: unknown }>>

type Header = Named & { readonly required?: boolean; readonly schema: AnySchema }

type Response = Named & { readonly headers?: Readonly<Record<string, Header>>; readonly content?: Media }

type Parameter = Named & {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: AnySchema & { readonly type?: unknown }
}

export type Operation = {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Media }
  readonly responses: Readonly<Record<string, Response>>
}

export type Document = {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly [kind: string]: Readonly<Record<string, unknown>>
  }
}

export type SeenAnswer = {
  readonly status: number
  /** The headers by name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Undefined where it was not seen. */
  readonly body: string | undefined
}

export type SeenRequest = {
  readonly query: URLSearchParams
  readonly path: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string | undefined
}

export type Problems = readonly string[]

/** What stands in front of every HTTP server, or says how the bytes are framed. */
const OF_THE_CONNECTION = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive'])

const mediaTypeOf = (header: string | undefined): string => header?.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Returns the target of a `$ref` in the document, or the value itself where it has none. */
const find = <T extends Named>(document: Document, from: T): T => {
  if (from.$ref === undefined) return from
  const names = from.$ref.replace(/^#\//, '').split('/')
  // The test of the document holds every reference to what is there.
  return names.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], document) as T
}

type Holds = (what: string, schema: AnySchema, value: unknown) => Problems

type Compile = (schema: object) => ValidateFunction

/** Compiles each schema once. References lead into the document's components, which are read once. */
const makeCompiler = (components: unknown, coerceTypes: boolean): Compile => {
  const ajv = new Ajv2020({ strictSchema: true, strictTypes: false, allErrors: true, coerceTypes })
  addFormats.default(ajv)
  ajv.addVocabulary(['example'])
  ajv.addKeyword('components')
  ajv.addSchema({ $id: 'document', components })
  const compiled = new Map<string, ValidateFunction>()
  return schema => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known !== undefined) return known
    const made = ajv.compile(JSON.parse(text.replaceAll('"$ref":"#/', '"$ref":"document#/')) as object)
    compiled.set(text, made)
    return made
  }
}

/** Services of one process differ in their addresses, and have the same schemas. */
const compilers = new Map<string, Compile>()

const compilerOf = (document: Document, coerceTypes: boolean): Compile => {
  const { securitySchemes: _, ...components } = document.components
  const key = `${coerceTypes} ${JSON.stringify(components)}`
  const compiler = compilers.get(key) ?? makeCompiler(components, coerceTypes)
  compilers.set(key, compiler)
  return compiler
}

const makeSchemas = (document: Document, coerceTypes: boolean): Holds => {
  const compile = compilerOf(document, coerceTypes)
  const compiled = new WeakMap<object, ValidateFunction>()
  return (what, schema, value) => {
    if (typeof schema === 'boolean') return []
    const validate = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const extra = 'additionalProperty' in params ? ` (${String(params['additionalProperty'])})` : ''
      // One line for all records of a list.
      return `${what}${instancePath.replaceAll(/\/\d+/g, '/*')} ${message}${extra}`
    })
  }
}

const FORM_TYPE = 'application/x-www-form-urlencoded'

const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType)

const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** RFC 6749 §3.1: a field without a value counts as omitted. */
const fieldsOf = (text: string, schema: AnySchema): unknown => {
  const properties = (schema as { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> })
    .properties
  const pairs = new URLSearchParams(text)
  const names = [...new Set(pairs.keys())]
  const values = names.map(name => [name, pairs.getAll(name).filter(value => value !== '')] as const)
  return Object.fromEntries(
    values
      .filter(([, all]) => all.length > 0)
      .map(([name, all]) => [name, properties?.[name]?.type === 'array' ? all : all[0]]),
  )
}

type JsonText = { readonly what: string; readonly schema: AnySchema; readonly text: string }

type Schemas = {
  readonly document: Document
  readonly holds: Holds
  /** Checks a value that is text on the wire. */
  readonly holdsText: Holds
}

const checkJson = (holds: Holds, { what, schema, text }: JsonText): Problems => {
  const json = parseJson(text)
  return json === undefined ? [`${what} is not JSON`] : holds(what, schema, json.value)
}

const makeAnswerCheck = ({ document, holds, holdsText }: Schemas) => {
  const named = new WeakMap<Response, ReadonlyMap<string, Header>>()
  const headersOf = (response: Response): ReadonlyMap<string, Header> => {
    const known = named.get(response)
    if (known !== undefined) return known
    const entries = Object.entries(response.headers ?? {})
    const names = new Map(entries.map(([name, header]) => [name.toLowerCase(), find(document, header)]))
    named.set(response, names)
    return names
  }

  const checkHeaders = (response: Response, answer: SeenAnswer): Problems => {
    const names = headersOf(response)
    const undocumented = Object.keys(answer.headers).filter(name => !names.has(name) && !OF_THE_CONNECTION.has(name))
    return [
      ...undocumented.map(name => `the header ${name} is not documented`),
      ...[...names].flatMap(([name, { required, schema }]) => {
        const value = answer.headers[name]
        if (value === undefined) return required === true ? [`the header ${name} is missing`] : []
        return holdsText(`the header ${name}`, schema, value)
      }),
    ]
  }

  const checkBody = ({ content }: Response, { headers, body }: SeenAnswer): Problems => {
    const type = mediaTypeOf(headers['content-type'])
    if (content === undefined) return body === undefined || body === '' ? [] : ['a body where none is documented']
    const media = content[type]
    if (media === undefined) return [`the media type ${type} is not documented`]
    if (body === undefined) return []
    if (isJson(type)) return checkJson(holds, { what: 'the body', schema: media.schema, text: body })
    // Of these the schema is that of a line.
    const lines = type === 'application/x-ndjson' ? body.split('\n').filter(line => line !== '') : []
    return lines.flatMap(line => checkJson(holds, { what: 'a line', schema: media.schema, text: line }))
  }

  return (response: Response, answer: SeenAnswer): Problems => {
    const found = find(document, response)
    return [...checkHeaders(found, answer), ...checkBody(found, answer)]
  }
}

const makeRequestCheck = ({ document, holds, holdsText }: Schemas) => {
  const checkParameters = ({ parameters = [] }: Operation, request: SeenRequest): Problems => {
    const known = parameters.map(parameter => find(document, parameter))
    const unknown = [...request.query.keys()].filter(
      name => !known.some(one => one.in === 'query' && one.name === name),
    )
    return [
      ...unknown.map(name => `the parameter ${name} was taken, and is not documented`),
      ...known.flatMap(parameter => {
        const { name, schema, required } = parameter
        const values = {
          path: [request.path[name]],
          query: request.query.getAll(name),
          header: [request.headers[name.toLowerCase()]],
        }[parameter.in].filter(value => value !== undefined)
        if (values.length === 0) return required === true ? [`the parameter ${name} is missing`] : []
        const value = schema.type === 'array' ? values : values[0]
        return holdsText(`the parameter ${name}`, schema, value)
      }),
    ]
  }

  const checkRequestBody = ({ requestBody }: Operation, { headers, body }: SeenRequest): Problems => {
    if (requestBody === undefined) return []
    if (body === undefined) return requestBody.required === false ? [] : ['a request without its body was taken']
    const type = mediaTypeOf(headers['content-type'])
    const media = requestBody.content[type]
    if (media === undefined) return [`a request of the media type ${type} was taken`]
    if (isJson(type)) {
      const text = withoutByteOrderMark(body)
      return checkJson(holds, { what: 'the request', schema: media.schema, text })
    }
    return type === FORM_TYPE ? holds('the request', media.schema, fieldsOf(body, media.schema)) : []
  }

  return (operation: Operation, request: SeenRequest): Problems => [
    ...checkParameters(operation, request),
    ...checkRequestBody(operation, request),
  ]
}

/** What the document says, as checks. An operation is named by its method in lower case and its path with `{…}`. */
export const readDescription = (document: Document) => {
  const [holds, holdsText] = [makeSchemas(document, false), makeSchemas(document, true)]
  const checkResponse = makeAnswerCheck({ document, holds, holdsText })
  return {
    operation: (method: string, path: string): Operation | undefined =>
      document.paths[path]?.[method === 'head' ? 'get' : method],
    checkAnswer: ({ responses }: Operation, answer: SeenAnswer): Problems => {
      const response = responses[answer.status]
      return response === undefined
        ? [`the status ${answer.status} is not documented`]
        : checkResponse(response, answer)
    },
    /** Checks a response of no operation: the refusal of a method or a path. */
    checkRefusal: (form: 'Error' | 'Problem', answer: SeenAnswer): Problems => {
      const response = document.components.responses[`${form}${answer.status}`]
      return response === undefined
        ? [`the status ${answer.status} is not documented`]
        : checkResponse(response, answer)
    },
    /** Call it for a request that was taken. */
    checkRequest: makeRequestCheck({ document, holds, holdsText }),
    /** A value, such as an example, against a schema of the document. */
    holds,
  }
}

export type Description = ReturnType<typeof readDescription>
