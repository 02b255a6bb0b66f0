// What the value of a filter must be, as far as the browser knows it before it asks.
import { parseLabel } from '../../../api/values/labels.ts'
import { parseScopeItem } from '../../../api/values/scope.ts'
import { ISSUER_SUBJECT_FORM, parseIssuerSubject } from '../../../api/values/subject.ts'
import { parseTime } from '../../../api/values/time.ts'
import { parseUuid } from '../../../api/values/uuid.ts'
import { notFilter } from '../reading/pasted-text.ts'

type Form = { readonly parse: (text: string) => unknown; readonly expected: string; readonly example: string }

export const FORMS = {
  id: { parse: parseUuid, expected: 'a UUID', example: '01a20ab7-9544-7e03-9e33-b64a4ac6a715' },
  time: { parse: parseTime, expected: 'a date, a time and a zone', example: '2026-11-22T12:00:00Z' },
  label: { parse: parseLabel, expected: 'a label', example: 'team=payments' },
  subject: {
    parse: parseIssuerSubject,
    expected: ISSUER_SUBJECT_FORM,
    example: 'entra:0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
  },
  scope: { parse: parseScopeItem, expected: 'one item of a scope', example: 'payments:read' },
} as const satisfies Readonly<Record<string, Form>>

export type FormName = keyof typeof FORMS

/** What is wrong with a value; undefined where nothing is. */
export const wrongIn = (form: FormName | undefined, value: string): string | undefined => {
  const not = notFilter(value)
  if (form === undefined || not !== undefined) return not
  const { parse, expected, example } = FORMS[form]
  return parse(value) === undefined ? `This is not ${expected}, such as ${example}.` : undefined
}
