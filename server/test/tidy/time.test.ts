// Outside of `npm run test:process` no test waits for time, reads the machine's clock, or takes a port that it only found free.
import { test } from 'node:test'
import { findIn, nothing, readFiles } from '../../../testkit/sources/source-files.ts'

const TIME = /\b(?:setTimeout|setInterval|delay)\(|\bperformance\.now\b|\bDate\.now\b|\bfreePorts?\(/

const OF_OTHERS = 'a library of others reads the clock of the machine'
const CERTIFICATES = 'OpenSSL compares certificates with the clock of the machine'
const MADE_NOW = 'the program under test reads the clock of the machine: a command, or a database'

/** Files that do, by the reason. */
const MAY: Readonly<Record<string, string>> = {
  'cli/local/doctor-store': MADE_NOW,
  'contract/clients/certificate-bound': CERTIFICATES,
  'contract/clients/client-certificate-header': CERTIFICATES,
  'contract/clients/client-certificates': CERTIFICATES,
  'contract/clients/dpop-clients': OF_OTHERS,
  'contract/clients/exchange-libraries': OF_OTHERS,
  'contract/oauth/mcp-clients': OF_OTHERS,
  'contract/oauth/mcp-relay': OF_OTHERS,
  'contract/oauth/real-clients': OF_OTHERS,
  'contract/oauth/signed-introspection': OF_OTHERS,
  'http/console-streams': 'a deadline that is never reached counts on some clock',
  'keys/provider-key-set': 'its provider signs JWTs by the clock of the machine',
  'postgres/connections/act-alone': MADE_NOW,
  'postgres/connections/byte-order': MADE_NOW,
  'postgres/connections/postgres-metrics': MADE_NOW,
  'postgres/connections/primary': MADE_NOW,
  'postgres/connections/settings-of-others': MADE_NOW,
  'properties/service-life': 'the seed of a random run, which is printed',
  'serving/relayed-key-sets': 'a deadline that is never reached counts on some clock',
  'store/feed/feed-history': MADE_NOW,
  'store/offline/backup': MADE_NOW,
  'store/offline/restore': MADE_NOW,
  'store/offline/restore-in-place': MADE_NOW,
  'store/sqlite/connection': MADE_NOW,
}

const stemOf = (path: string): string => path.replace(/^server\/test\/|\.test\.ts.*$/g, '')

test('no test outside of test:process waits for time, reads the clock of the machine or probes a port', () => {
  const files = readFiles('server/test/**/*.ts').filter(
    ({ path }) => !/^server\/test\/(?:process|suites|tidy)\//.test(path),
  )
  const found = findIn(files, TIME).map(one => ({ one, stem: stemOf(one) }))
  nothing(
    found.filter(({ stem }) => !(stem in MAY)).map(({ one }) => one),
    'Give the part a clock or a Timing, wait for the event (testkit/processes/until.ts), or move the file to server/test/process.',
  )
  nothing(
    Object.keys(MAY).filter(stem => !found.some(one => one.stem === stem)),
    'It does no longer: remove it from this test.',
  )
})
