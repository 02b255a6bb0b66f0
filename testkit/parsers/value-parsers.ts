// The parsers of single values: names, scopes, times, addresses and ids (api/values and domain).
import { createHmac } from 'node:crypto'
import { isResource } from '../../api/values/audience.ts'
import { parseSubjectPattern, SUBJECT_KINDS, type SubjectKind } from '../../api/values/credentials.ts'
import { canonicalName, parseName } from '../../api/values/distinguished-name.ts'
import { FEED_WAIT_SECONDS_MAX, parseEpoch, parsePosition, parseRange, parseWait } from '../../api/values/feed.ts'
import { isKid } from '../../packages/verify/src/readers/kid.ts'
import { GRANT_TYPES, isActsForEntry, isGrantType, issuerIn, labelIn } from '../../api/values/delegation.ts'
import { isLabelKey, parseLabel } from '../../api/values/labels.ts'
import { isDescription, isName, isNote } from '../../api/values/name.ts'
import { parseReasonList, REASONS, type Reason } from '../../api/values/reason.ts'
import { parseItemOrAny, parseScope, parseScopeItem, parseScopePatterns } from '../../api/values/scope.ts'
import { parseIssuerSubject, parseSubject } from '../../api/values/subject.ts'
import { normalSubject } from '../../api/values/subject-name.ts'
import { formatTime, parseTime } from '../../api/values/time.ts'
import { parseUuid, parseUuidOpening } from '../../api/values/uuid.ts'
import { isProviderAddress, parseWebAddress } from '../../packages/verify/src/readers/web-address.ts'
import { formatPlan, readPlan } from '../../server/src/domain/ledger/plan.ts'
import { NO_CONDITIONS } from '../../server/src/domain/ledger/revocation.ts'
import { charactersOf } from './hostile-inputs.ts'
import { type Good, type Parser, parsersIn } from './parser.ts'
import fc from 'fast-check'

const same = (texts: fc.Arbitrary<string>): fc.Arbitrary<Good> => texts.map(input => ({ input, value: input }))

const inCapitals = (value: string): Good => ({ input: value.toUpperCase(), value })

const uuids = parsersIn('api/values/uuid.ts')
const subjects = parsersIn('api/values/subject.ts')
const uuidOpening = fc.tuple(fc.uuid(), fc.integer({ min: 4, max: 36 })).map(([id, length]) => id.slice(0, length))
const taken = (texts: fc.Arbitrary<string>): fc.Arbitrary<Good> => texts.map(input => ({ input, value: true }))

const wordOf = (characters: string, maxLength = 12) =>
  fc.string({ unit: fc.constantFrom(...charactersOf(characters)), minLength: 1, maxLength })

const LETTERS = 'abcxyzABCXYZ019'
const word = wordOf(LETTERS)
const scopeWord = wordOf(`${LETTERS}._~/-`)
const item = fc.tuple(scopeWord, scopeWord).map(([resource, action]) => `${resource}:${action}`)
const items = fc.array(item, { minLength: 1, maxLength: 16 })

/** Letters of several scripts, an emoji, a combining mark, and what spreadsheets and shells interpret. */
const printable = fc
  .string({ unit: fc.constantFrom(...charactersOf('aZ0äשع日🙃\u0301=+-@"\'\\,;%_<&')), minLength: 1, maxLength: 90 })
  .map(text => text.slice(0, 98).toWellFormed())
  .filter(text => text.isWellFormed())

export const goodName = printable.filter(isName)

/** With colons of its own, and all else that a subject may hold. */
const visible = fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code))
const alias = wordOf('abcxyz019-', 32)
const issuerSubject = fc
  .tuple(alias, fc.string({ unit: visible, minLength: 1, maxLength: 255 }))
  .map(([issuer, sub]) => ({ issuer, sub }))
const formatted = issuerSubject.map(({ issuer, sub }) => `${issuer}:${sub}`)

const instant = fc.integer({ min: Date.UTC(0, 0), max: Date.UTC(9999, 11) })

const REASON_NAMES = Object.keys(REASONS).filter((name): name is Reason => Object.hasOwn(REASONS, name))

const host = fc.array(word, { minLength: 1, maxLength: 3 }).map(labels => `${labels.join('.').toLowerCase()}.example`)
const path = fc.array(word, { maxLength: 3 }).map(words => words.map(one => `/${one}`).join(''))
const url = fc.tuple(host, path).map(([name, rest]) => `https://${name}${rest}`)

/** Each value escaped as RFC 4514 §2.4 has it, each control as its bytes. */
const escapeValue = (value: string): string =>
  value
    .replaceAll(/[\\"+,;<>#= ]/g, '\\$&')
    .replaceAll(/\p{Cc}/gu, one => `\\${one.charCodeAt(0).toString(16).padStart(2, '0')}`)

const attributeValue = fc.string({
  unit: fc.constantFrom(...charactersOf('aZ0ä🙃 ,+;=#"\\<>\n\u0001')),
  minLength: 1,
  maxLength: 12,
})

const distinguishedName: fc.Arbitrary<Good> = fc.array(attributeValue, { minLength: 1, maxLength: 4 }).map(values => ({
  input: values.map(value => `O=${escapeValue(value)}`).join(','),
  value: canonicalName(values.toReversed().map(value => [{ type: '2.5.4.10', value }])),
}))

const SUBJECTS: Readonly<Record<SubjectKind, fc.Arbitrary<Good>>> = {
  subject_dn: distinguishedName,
  san_dns: same(host),
  san_uri: same(url),
  san_ip: same(fc.ipV4()),
  san_email: same(fc.tuple(word, host).map(([local, domain]) => `${local}@${domain}`)),
}

const scopes = parsersIn('api/values/scope.ts')
const addresses = parsersIn('packages/verify/src/readers/web-address.ts')
const names = parsersIn('api/values/name.ts')
const labels = parsersIn('api/values/labels.ts')
const delegation = parsersIn('api/values/delegation.ts')
const feed = parsersIn('api/values/feed.ts')

const numbersTo = (max: number): fc.Arbitrary<Good> =>
  fc.integer({ min: 0, max }).map(value => ({ input: String(value), value }))

const ranges: fc.Arbitrary<Good> = fc
  .tuple(fc.nat(), fc.integer({ min: 1 }))
  .map(([from, more]) => ({ input: `${from}-${from + more}`, value: { from, to: from + more } }))

const canonicalOf = (text: string): string | undefined => {
  const name = parseName(text)
  return name === undefined ? undefined : canonicalName(name)
}

const sortedItems = items.map((all): Good => ({ input: all.join(' '), value: [...new Set(all)].toSorted() }))

const signing = {
  mac: (text: string) => createHmac('sha256', 'a key').update(text).digest('base64url'),
  areEqual: (a: string, b: string) => a === b,
}
const planned = {
  issuer: 'https://auth.example.com',
  caller: { kind: 'cli', user: 'ada' },
  conditions: { ...NO_CONDITIONS, scope: 'payments:read' },
} as const

const readOwnPlan = (text: string): unknown => {
  const plan = readPlan(signing, planned, text)
  return typeof plan === 'string' ? undefined : plan
}

const agentsDigest = fc.stringMatching(/^[\w-]{43}$/)

const goodPlan = fc
  .tuple(fc.integer({ min: 0, max: Date.UTC(9999, 11) }), fc.option(agentsDigest))
  .map(([at, digest]) => {
    const plan = { instant: at, agentsDigest: digest }
    return { input: formatPlan(signing, planned, plan), value: plan }
  })

export const VALUE_PARSERS: readonly Parser[] = [
  parsersIn('server/src/domain/ledger/plan.ts').ofText({ name: 'readPlan', good: goodPlan }, readOwnPlan),
  scopes.ofText({ name: 'parseScope', good: sortedItems }, parseScope),
  scopes.ofText({ name: 'parseScopePatterns', good: sortedItems }, parseScopePatterns),
  scopes.ofText({ name: 'parseScopeItem', good: same(item) }, parseScopeItem),
  scopes.ofText({ name: 'parseItemOrAny', good: same(scopeWord.map(one => `${one}:*`)) }, parseItemOrAny),
  parsersIn('api/values/reason.ts').ofText(
    {
      name: 'parseReasonList',
      good: fc.subarray(REASON_NAMES, { minLength: 1 }).map(known => ({
        input: known.join(','),
        value: { known: known.toSorted(), unknown: [] },
      })),
    },
    parseReasonList,
  ),
  parsersIn('api/values/time.ts').ofText(
    { name: 'parseTime', good: instant.map(value => ({ input: formatTime(value), value })) },
    parseTime,
  ),
  feed.ofText({ name: 'parseEpoch', good: same(wordOf(`${LETTERS}._-`, 128)) }, parseEpoch),
  feed.ofText({ name: 'parsePosition', good: numbersTo(Number.MAX_SAFE_INTEGER) }, parsePosition),
  feed.ofText({ name: 'parseWait', good: numbersTo(FEED_WAIT_SECONDS_MAX) }, parseWait),
  feed.ofText({ name: 'parseRange', good: ranges }, parseRange),
  uuids.ofText({ name: 'parseUuid', good: fc.uuid().map(inCapitals) }, parseUuid),
  uuids.ofText({ name: 'parseUuidOpening', good: uuidOpening.map(inCapitals) }, parseUuidOpening),
  subjects.ofText({ name: 'parseSubject', good: fc.oneof(fc.uuid().map(inCapitals), same(formatted)) }, parseSubject),
  subjects.ofText(
    {
      name: 'parseIssuerSubject',
      good: issuerSubject.map(value => ({ input: `${value.issuer}:${value.sub}`, value })),
    },
    parseIssuerSubject,
  ),
  addresses.ofText(
    { name: 'parseWebAddress', good: url.map(input => ({ input, value: new URL(input).href })) },
    text => parseWebAddress(text)?.href,
  ),
  addresses.ofText({ name: 'isProviderAddress', good: taken(url) }, isProviderAddress),
  parsersIn('api/values/audience.ts').ofText({ name: 'isResource', good: taken(url) }, isResource),
  parsersIn('api/values/credentials.ts').ofText(
    {
      name: 'parseSubjectPattern',
      good: wordOf(LETTERS, 60).map(text => ({
        input: `repo:${text}*`,
        value: { text: `repo:${text}`, isPrefix: true },
      })),
    },
    parseSubjectPattern,
  ),
  parsersIn('api/values/distinguished-name.ts').ofText({ name: 'parseName', good: distinguishedName }, canonicalOf),
  ...SUBJECT_KINDS.map(kind =>
    parsersIn('api/values/subject-name.ts').ofText({ name: `normalSubject of ${kind}`, good: SUBJECTS[kind] }, text =>
      normalSubject(kind, text),
    ),
  ),
  parsersIn('packages/verify/src/readers/kid.ts').ofText({ name: 'isKid', good: taken(word) }, isKid),
  labels.ofText({ name: 'isLabelKey', good: taken(word) }, isLabelKey),
  labels.ofText(
    {
      name: 'parseLabel',
      good: fc.tuple(word, goodName).map(([key, value]) => ({ input: `${key}=${value}`, value: { key, value } })),
    },
    parseLabel,
  ),
  delegation.ofText(
    {
      name: 'labelIn',
      good: fc.tuple(word, goodName).map(([key, value]) => ({ input: `label:${key}=${value}`, value: { key, value } })),
    },
    labelIn,
  ),
  delegation.ofText(
    {
      name: 'issuerIn',
      good: fc.oneof(
        alias.map(issuer => ({ input: `issuer:${issuer}`, value: { issuer, sub: null } })),
        issuerSubject.map(value => ({ input: `issuer:${value.issuer}:${value.sub}`, value })),
      ),
    },
    issuerIn,
  ),
  delegation.ofText({ name: 'isActsForEntry', good: taken(fc.uuid()) }, isActsForEntry),
  delegation.ofText({ name: 'isGrantType', good: taken(fc.constantFrom(...GRANT_TYPES)) }, isGrantType),
  names.ofText({ name: 'isName', good: taken(goodName) }, isName),
  names.ofText({ name: 'isDescription', good: taken(goodName) }, isDescription),
  parsersIn('api/values/name.ts').ofText({ name: 'isNote', good: taken(goodName) }, isNote),
]
