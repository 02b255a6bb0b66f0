// Inputs that no honest caller sends: texts that a store, a log or a terminal may mistake, good inputs with something wrong,
// and long runs of the characters on which parsers decide.
import fc from 'fast-check'
import type { Good, Input, Parser } from './parser.ts'

/** What a text can contain that stores, logs, spreadsheets or terminals interpret. */
export const ODD_TEXTS: Readonly<Record<string, string>> = {
  'a NUL': 'a\0b',
  'a lone high surrogate': 'a\ud800',
  'a lone low surrogate': '\udc00a',
  'a right-to-left override': 'a\u202etxt.exe',
  'isolates and marks of direction': '\u2066a\u2069\u200f',
  'characters without width': 'a\u200b\u2060\u00adb',
  'a byte order mark': '\ufeffa',
  'an emoji of several characters': '👩‍👩‍👧‍👦',
  'an emoji and a combining mark': '🙃e\u0301',
  'invisible tags': 'a\u{e0041}\u{e0042}',
  'control characters of eight bits': 'a\u009b31m\u0085',
  'escape sequences': '\u001b[2J\u001b]0;x\u0007',
  'delete and backspace': 'a\u007f\b',
  'line breaks': 'a\r\nb\nc\rd',
  'line breaks of Unicode': 'a\u2028b\u2029',
  'a formula': "=cmd|' /C calc'!A0",
  'other formulas': '+1;-1\t@SUM(1)',
  'quotes and backslashes': `"a\\"b'c\``,
  'a noncharacter': 'a\uffff',
  'a long text': 'é'.repeat(3000),
}

/** Bytes that are not UTF-8: overlong forms of NUL, slash and quote, encoded surrogates, cut and impossible sequences. */
export const ODD_BYTES: readonly Buffer[] = [
  [0xc0, 0x80],
  [0xc0, 0xaf],
  [0xc0, 0xa2],
  [0xe0, 0x80, 0xaf],
  [0xf0, 0x80, 0x80, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0xff, 0xfe, 0x00],
].map(bytes => Buffer.from(bytes))

/** What a parser may take for the beginning of something, and never sees the end of. */
const UNFINISHED: readonly string[] = ['%', '%zz', '%C0%80', '%ED%A0%80', '\\', '"', '\\u12', '[', '{"', '=', '.']

const ODD: readonly Input[] = [...Object.values(ODD_TEXTS), ...ODD_BYTES, ...UNFINISHED, '']

/** Any code point, surrogates too. The library's own unit `binary` takes a second of each process to index. */
export const anyCodePoint = fc.integer({ min: 0, max: 0x10_ffff }).map(code => String.fromCodePoint(code))

const insertion: fc.Arbitrary<Input> = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 8 }),
  fc.uint8Array({ minLength: 1, maxLength: 4 }).map(bytes => Buffer.from(bytes)),
)

const partOf = (input: Input, from: number, to: number): Input =>
  typeof input === 'string' ? input.slice(from, to) : input.subarray(from, to)

/** Texts stay texts, with their lone surrogates; with bytes in them they become bytes. */
const join = (...parts: readonly Input[]): Input =>
  parts.every(part => typeof part === 'string')
    ? parts.join('')
    : Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)))

const flip = (input: Input, at: number, bit: number): Input => {
  const bytes = Buffer.from(input)
  if (bytes.length === 0) return bytes
  const place = at % bytes.length
  bytes[place] = (bytes[place] ?? 0) ^ (1 << bit)
  return bytes
}

const HOW = ['cut', 'begun late', 'doubled', 'with company', 'replaced', 'flipped', 'repeated'] as const

const spoil = (input: Input, how: (typeof HOW)[number], share: number, company: Input): Input => {
  const at = Math.floor(share * (input.length + 1))
  const [before, after] = [partOf(input, 0, at), partOf(input, at, input.length)]
  switch (how) {
    case 'cut':
      return before
    case 'begun late':
      return after
    case 'doubled':
      return join(input, input)
    case 'with company':
      return join(before, company, after)
    case 'replaced':
      return join(before, company, partOf(after, 1, after.length))
    case 'flipped':
      return flip(input, at, Math.floor(share * 1e6) % 8)
    case 'repeated':
      return join(before, before, after)
  }
}

/** Each odd text alone, and before, inside and after a good input. */
export const withOddities = (good: Input): readonly Input[] => {
  const half = Math.floor(good.length / 2)
  const [before, after] = [partOf(good, 0, half), partOf(good, half, good.length)]
  return ODD.flatMap(odd => [odd, join(odd, good), join(before, odd, after), join(good, odd)])
}

/** A good input with one thing wrong, or with several. */
export const spoilt = (good: fc.Arbitrary<Good>): fc.Arbitrary<Input> =>
  fc
    .tuple(
      good,
      fc.array(fc.tuple(fc.constantFrom(...HOW), fc.double({ min: 0, max: 1, noNaN: true }), insertion), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([{ input }, steps]) =>
      steps.reduce((before, [how, share, company]) => spoil(before, how, Math.min(share, 0.999_999), company), input),
    )

/** Any text and any bytes. */
export const arbitraryInput: fc.Arbitrary<Input> = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes)),
  insertion,
  fc.json(),
)

/** Splits a text by code point. */
export const charactersOf = (text: string): readonly string[] => Array.from(text)

/** What is repeated in a long input: the characters on which parsers decide, and what may follow each other in a good one. */
const UNITS: readonly string[] = [
  ...charactersOf(` "\\[{(,;=.%+-:/'&a0_@*$<#\n\t\0\u007f\u00e9\u{1f643}`),
  '\\"',
  '{"a":',
  '"a",',
  '[[]],',
  '%41',
  '%C0',
  'a=1&',
  'a.',
  '.0',
  ' ,',
  ' =',
  '" ',
  'a ',
  '\\20',
  'CN=a,',
  'for=a,',
  'a:b ',
  '\r\n',
  '{"n":1,"at":"2026-11-21T09:30:05Z","kind":"a"}\n',
  '-----BEGIN CERTIFICATE-----',
  '0\u0080',
]

/** What ends a run, so that a parser that took all of it must backtrack. */
const ENDS: readonly string[] = ['', '!', '"']

export type Shape = { readonly name: string; readonly make: (bytes: number) => Input }

/** Returns the lengths of so many beginnings of a good input, from none of it to all of it. */
const beginningsOf = (good: Input, count: number): readonly number[] => [
  ...new Set(Array.from({ length: count }, (_, n) => Math.round((n * good.length) / (count - 1)))),
]

const timesIn = (bytes: number, unit: string): number => Math.ceil(bytes / Buffer.byteLength(unit))

const runsAfter = (good: Input, count: number): readonly Shape[] =>
  beginningsOf(good, count).flatMap(length =>
    UNITS.flatMap(unit =>
      ENDS.map(end => ({
        name: `${length} of ${good.length} good, a run of ${JSON.stringify(unit)}, ${JSON.stringify(end)}`,
        make: bytes => join(partOf(good, 0, length), unit.repeat(timesIn(bytes, unit)), end),
      })),
    ),
  )

const listed = (count: number, member: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => member(n)).join(',')

/** JSON, deep and wide. */
const JSON_SHAPES: readonly Shape[] = [
  { name: 'arrays in arrays', make: bytes => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2) },
  { name: 'objects in objects', make: bytes => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}` },
  { name: 'an array of texts', make: bytes => `[${listed(bytes / 4, () => '"a"')}]` },
  { name: 'an object of many names', make: bytes => `{${listed(bytes / 10, n => `"${n}":1`)}}` },
  { name: 'an object of one name', make: bytes => `{${listed(bytes / 6, () => '"a":1')}}` },
  { name: 'one long text with escapes', make: bytes => `{"a":"${'\\u0041'.repeat(bytes / 6)}"}` },
]

/** Long inputs of about so many bytes: runs of one unit after beginnings of a good input, JSON, and the good input repeated. */
export const shapesFor = (good: Input, beginnings: number): readonly Shape[] => [
  ...runsAfter(good, beginnings),
  ...JSON_SHAPES,
  repeatedGood(good),
]

/** A good input again and again, as far as a parser takes one. */
const repeatedGood = (good: Input): Shape => ({
  name: 'a good input again and again',
  make: bytes => {
    const times = Math.max(1, Math.floor(bytes / Math.max(1, good.length)))
    return typeof good === 'string' ? good.repeat(times) : Buffer.alloc(times * good.length, good)
  },
})

/** One good input, always the same. */
export const goodOf = ({ good }: Pick<Parser, 'good'>): Input =>
  fc.sample(good, { numRuns: 1, seed: 1 })[0]?.input ?? ''
