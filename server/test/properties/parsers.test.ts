// Every parser of ours: what it writes it reads, whatever else it is given it refuses, and it never throws.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { isThorough } from '../../../testkit/loads/thorough.ts'
import { PARSERS } from '../../../testkit/parsers/all-parsers.ts'
import { arbitraryInput, goodOf, shapesFor, spoilt, withOddities } from '../../../testkit/parsers/hostile-inputs.ts'
import { REFUSED } from '../../../testkit/parsers/parser.ts'
import { nothing, readFiles } from '../../../testkit/sources/source-files.ts'

const RUNS = isThorough ? 150 : 50
/** Of a run of one character: beyond every limit of a header or a field. */
const LONG_BYTES = 20_000
const BEGINNINGS = 4
/** Each parser is tried with every so many of the shapes, by turns. Three ends follow each other: it is no multiple of three. */
const EVERY = isThorough ? 1 : 4

for (const [turn, parser] of PARSERS.entries()) {
  suite(`${parser.name} in ${parser.file}`, () => {
    test('what is good comes back as it was', () => {
      fc.assert(
        fc.property(parser.good, ({ input, value }) => {
          const answer = parser.read(input)
          assert.notEqual(answer, REFUSED, `Refused: ${JSON.stringify(String(input))}`)
          if (value !== undefined) assert.deepEqual(answer, value)
        }),
        { numRuns: RUNS },
      )
    })

    // The call itself is the assertion.
    test('any text, any bytes and what is nearly good are answered, and nothing is thrown', () => {
      for (const input of withOddities(goodOf(parser))) parser.read(input)
      fc.assert(
        fc.property(fc.oneof(spoilt(parser.good), arbitraryInput), input => void parser.read(input)),
        { numRuns: 2 * RUNS },
      )
    })

    test('a long run of any character is answered, alone or after what is good', () => {
      const good = goodOf(parser)
      const shapes = shapesFor(good, BEGINNINGS).filter((_, n) => (n + turn) % EVERY === 0)
      for (const { make } of shapes) parser.read(make(LONG_BYTES))
    })
  })
}

/** Where strangers' bytes, other servers' answers and files of the command line are read. */
const PARSING: Readonly<Record<string, RegExp>> = {
  'api/values': /^(?:parse|read)/,
  'server/src/domain': /^(?:parse|read|decode|findMember)/,
  'server/src/http': /^(?:parse|read|decode|hopsOf)/,
  'server/src/keys': /^(?:parse|read|decode|split)/,
  'server/src/cli': /^(?:parse|read|gather)/,
  // The others there are in the table of settings, each of which has a row.
  'server/src/config': /^parseConfigFile$/,
  // Most of what reads there reads rows.
  'server/src/store': /^parse[A-Z]/,
  'packages/client/src': /^(?:parse|read|decode)/,
  'packages/gateway/src': /^(?:parse|read|decode|split)/,
  'packages/verify/src': /^(?:parse|read|decode|split)/,
  'console/src': /^(?:parse|read|decode)/,
}

const OWN = 'it reads what the store itself wrote: server/test/faults/stored-garbage.test.ts puts something else there'
const ASKS = 'it asks the service, whose JSON is read by the browser and has the types of the contract'
const BYTES = 'it reads bytes, and leaves their meaning to a parser in the table'

/** Exports that are named like a parser and need no row. */
const NO_ROW: Readonly<Record<string, string>> = {
  'console/src/reading/health.ts readHealth': ASKS,
  'console/src/reading/metadata.ts readMetadata': ASKS,
  'console/src/reading/read-page.ts readPage': ASKS,
  'console/src/reading/service.ts readSession': ASKS,
  'console/src/reading/pasted-text.ts readSought': 'it is readPasted, and console/test tries it',
  'packages/client/src/tokens/private-key.ts readPrivateKey':
    'it reads a file of its own program, as PEM or by parseObject',
  'packages/client/src/wire/text-file.ts readTextFile': BYTES,
  'packages/verify/src/feed/stream.ts readStream': 'it reads bytes, by makeEventReader and parseHead',
  'packages/verify/src/options.ts parseOptions':
    'it takes the options of its own program, and throws what is wrong with them',
  'packages/verify/src/readers/compact-jws.ts decodeBase64url':
    'it is decodeCanonical, of what is known to be canonical',
  'packages/verify/src/wire/exchange.ts readBody': BYTES,
  'server/src/store/rows.ts parseLabels': OWN,
  'server/src/store/rows.ts parseOwnClaims': OWN,
  'server/src/store/rows.ts parseStrings': OWN,
  'server/src/store/signing-keys/signing-keys.ts parsePublicJwk': OWN,
  'server/src/cli/apply/declared-files.ts readDeclared': 'it reads files of its own user, by the parser of yaml',
  'server/src/cli/terminal/pasted-token.ts readPastedToken': 'it reads bytes, by parsePastedToken',
  'server/src/cli/terminal/standard-input.ts readDocument': BYTES,
  'server/src/cli/terminal/standard-input.ts readSecret': 'it reads bytes, by parseSecretLine',
  'server/src/cli/terminal/standard-input.ts readStandardInput': BYTES,
  'server/src/domain/import/hydra-client.ts readHydraClient': 'planDocument of Hydra calls it',
  'server/src/domain/import/keycloak-client.ts readKeycloakClient': 'planDocument of Keycloak calls it',
  'server/src/http/oauth/client-credentials.ts readApiKey': 'it reads headers, by parseAuthorization and decodeBasic',
  'server/src/keys/clients/der.ts readInside': 'it is readElements, of one element',
  'server/src/keys/providers/fetch-json.ts readBounded': BYTES,
}

const EXPORT = /^export (?:const|function\*?|async function) (\w+)/gm

const exportsOf = (folder: string): readonly (readonly [file: string, name: string])[] =>
  readFiles(`${folder}/**/*.ts`).flatMap(({ path, text }) =>
    [...text.matchAll(EXPORT)].map(([, name = '']) => [path, name] as const),
  )

test('every export that parses has a row, or a reason why it has none', () => {
  const all = Object.entries(PARSING).map(([folder, pattern]) => ({ pattern, exported: exportsOf(folder) }))
  const exported = new Set(all.flatMap(one => one.exported).map(([file, name]) => `${file} ${name}`))
  const parsing = all
    .flatMap(one => one.exported.filter(([, name]) => one.pattern.test(name)))
    .map(one => one.join(' '))
  const rows = new Set(PARSERS.map(({ name, file }) => `${file} ${name.split(' ')[0]}`))
  assert.ok(parsing.length > 50)
  nothing(
    parsing.filter(one => !rows.has(one) && NO_ROW[one] === undefined),
    'A parser without a row in testkit/parsers:',
  )
  nothing(
    Object.keys(NO_ROW).filter(one => !parsing.includes(one) || rows.has(one)),
    'A reason for nothing:',
  )
  nothing(
    [...rows].filter(one => !exported.has(one)),
    'A row of what is not exported:',
  )
})
