// The strict reader of JSON bodies (RFC 8259): the zod schema of a route is its parser, its type and its documentation.
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { withoutByteOrderMark } from '../../domain/text/text.ts'
import { countValues } from '../../domain/text/json-values.ts'
import { findMemberFault, formatMemberFault } from '../../domain/text/member-names.ts'
import { compileValidator } from './fields.ts'
import { type InputRefusal, RefusedInput } from './refused-input.ts'

/** How many values a body may hold, and what to do where it holds more. */
type ValuesLimit = { readonly max: number; readonly advice: string }

/**
 * The most values in a body of any caller: what is wrong with one value takes 10 µs to say, and 64 KiB hold 30,000. An agent with all
 * that it may have has some 1,000, and ten public keys have some 100.
 */
const BODY_VALUES_MAX = 2000
const BODY_VALUES: ValuesLimit = { max: BODY_VALUES_MAX, advice: 'send less' }

const JSON_WANTED = 'The request has no JSON: send an object as application/json, in UTF-8.'

type Parsed<Value = unknown> = { readonly value: Value } | { readonly error: RefusedInput }

const refuse = (description: string): { readonly error: RefusedInput } => ({ error: new RefusedInput(description) })

const parseJson = (text: string): Parsed => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return refuse('The body is not JSON.')
  }
}

const UNKNOWN_MEMBER = 'has a member that this operation does not know'

/** The form of this interface's member names, probably a slip. Any other name may be a secret, and is not repeated. */
const MEMBER_NAME = /^[a-z]{1,20}(?:_[a-z]{1,20}){0,6}$/

const describeUnknown = ([key = '']: readonly string[]): string =>
  MEMBER_NAME.test(key) ? `${UNKNOWN_MEMBER}: ${key}` : UNKNOWN_MEMBER

/** What zod calls otherwise than JSON does (RFC 8259 §3). */
const TYPE_NAMES: Readonly<Record<string, string>> = { record: 'object' }

/** The words of this interface for an issue; those of the schema where it has its own. */
const describeWrong = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'unrecognized_keys') return describeUnknown(issue.keys)
  // What zod itself says of a type or a value opens so.
  if (!issue.message.startsWith('Invalid ')) return issue.message
  if (issue.code === 'invalid_type') {
    return `is missing, or is not of the type ${TYPE_NAMES[issue.expected] ?? issue.expected}`
  }
  if (issue.code !== 'invalid_value') return issue.message
  return issue.values.length === 1
    ? `is given, but is not ${String(issue.values[0])}`
    : `is not one of ${issue.values.map(String).join(', ')}`
}

/** What was wrong, by the name of the member. A name that is none itself is not repeated. */
const describeIssue = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_key') {
    const [wrong] = issue.issues
    return describeIssue({ ...issue, code: 'custom', path: issue.path.slice(0, -1), message: wrong?.message ?? '' })
  }
  const name = issue.path.length === 0 ? 'The body' : issue.path.join('.')
  return `${name} ${describeWrong(issue)}.`
}

const CODES: readonly InputRefusal[] = ['invalid_scope', 'invalid_target']

/** The error that the schema names for what is wrong. */
const codeOf = (issue: z.core.$ZodIssue): InputRefusal => {
  const named: unknown = issue.code === 'custom' ? issue.params?.['error'] : undefined
  return CODES.find(code => code === named) ?? 'invalid_request'
}

/** What a schema makes of a value that was read. */
const parseValue = <Value>(schema: z.ZodType<Value>, value: unknown): Parsed<Value> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { value: parsed.data }
  const [issue] = parsed.error.issues
  return issue === undefined
    ? refuse('The body is malformed.')
    : { error: new RefusedInput(describeIssue(issue), codeOf(issue)) }
}

/** A schema with a default is of a body that may be left out. */
const parseAbsent = <Value>(schema: z.ZodType<Value>): Parsed<Value> => {
  const parsed = schema.safeParse(undefined)
  return parsed.success ? { value: parsed.data } : refuse(JSON_WANTED)
}

/** The reader of bodies of a schema, with at most so many values. */
export const makeJsonReader =
  <Value>(schema: z.ZodType<Value>, { max, advice } = BODY_VALUES) =>
  (body: Buffer | null | undefined): Parsed<Value> => {
    if (body === null || body === undefined) return parseAbsent(schema)
    if (!Buffer.isBuffer(body) || !isUtf8(body)) return refuse(JSON_WANTED)
    if (countValues(body) > max) {
      return { error: new RefusedInput(`The body holds more than ${max} values: ${advice}.`, 'request_too_large') }
    }
    const text = withoutByteOrderMark(body.toString('utf8'))
    const json = parseJson(text)
    if ('error' in json) return json
    const fault = findMemberFault(text)
    // zod passes over this one name in silence, where every other name that is not known is refused.
    if (fault?.kind === 'prototype') return refuse(`The body ${UNKNOWN_MEMBER}.`)
    const parsed = parseValue(schema, json.value)
    // After the schema: a member that is not one of ours is not repeated.
    return 'error' in parsed || fault === undefined ? parsed : refuse(`${formatMemberFault(fault)}.`)
  }

/** Makes a scope take JSON and nothing else: a page of another site can send a form, but no JSON unasked. */
export const takeJson = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.setValidatorCompiler(part => {
    const { schema, httpPart } = part
    if (httpPart !== 'body') return compileValidator(part)
    if (!(schema instanceof z.ZodType)) throw new Error('The schema of a body is a zod schema.')
    return makeJsonReader(schema)
  })
}
