// The parsers of documents and settings: imports, answers of other servers, files and options of the command line, and
// configuration.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InvalidArgumentError } from 'commander'
import fc from 'fast-check'
import { gatherLabels } from '../../server/src/cli/agent-options.ts'
import { lostActsIn } from '../../server/src/cli/local/lost-acts.ts'
import { parseDuration, parseDurationSeconds } from '../../server/src/cli/terminal/duration.ts'
import { CommandFailed } from '../../server/src/cli/terminal/exit.ts'
import { parseDocument, parseJson } from '../../server/src/cli/terminal/parse-json.ts'
import { parsePasted, readPasted } from '../../api/values/pasted-token.ts'
import { readPemKeys } from '../../server/src/cli/credential-options.ts'
import { readLimit } from '../../server/src/cli/lists/list-options.ts'
import { parseTerminalTime, readExpiry, readTime } from '../../server/src/cli/terminal/time.ts'
import { idOfPasted, readTokenId } from '../../server/src/cli/token-id.ts'
import { parseConfigFile } from '../../server/src/config/config-file.ts'
import { COMMAND_VARIABLES } from '../../server/src/config/settings/settings.ts'
import type { VariableEntry } from '../../server/src/config/settings/setting-entry.ts'
import { settingEntries } from '../../server/src/config/settings/settings.ts'
import { trustDomainOf } from '../../server/src/domain/clients/client-trust.ts'
import { networkOf } from '../../server/src/domain/source.ts'
import { planDocument, type Source } from '../../server/src/cli/imports/plan-document.ts'
import { keycloakClient, realmExport } from '../callers/foreign-exports.ts'
import { type Good, type Parser, parsersIn, refusesBy } from './parser.ts'

const AT = '2026-11-21T09:30:05Z'
const NOW = Date.parse(AT)

const constant = (input: string, value?: unknown): fc.Arbitrary<Good> =>
  fc.constant(value === undefined ? { input } : { input, value })

const planning =
  (source: Source) =>
  (text: string): unknown =>
    planDocument(source, text, { scope: null, defaultScope: null, scopeMap: new Map(), resources: null })

const HYDRA = {
  client_id: 'orders',
  client_name: 'orders',
  client_secret: 's'.repeat(40),
  scope: 'db:read reports-read',
  audience: '["https://api.example.com"]',
  grant_types: 'client_credentials|implicit',
  client_credentials_grant_access_token_lifespan: '0h5m0.5s',
}

const entry = (n: number, kind: string, subject: string): string =>
  JSON.stringify({ n, at: AT, kind, subject, detail: { agent_id: 'a' } })

const folder = mkdtempSync(join(tmpdir(), 'mintmark-parsers-'))
const FILE = join(folder, 'config.json')
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Writes it where the variable would point. */
const readConfigFile = (bytes: Buffer): unknown => {
  writeFileSync(FILE, bytes)
  return parseConfigFile(FILE)
}

const CONFIG = {
  identity_providers: [{ issuer: 'https://login.example.com', audience: 'mintmark', roles: { a: 'viewer' } }],
  scopes_supported: ['db:read'],
}

const KEY = Buffer.alloc(32, 7).toString('base64')

/** What a setting may be of which neither an example nor a default says it. */
const GOOD_SETTINGS: Readonly<Record<string, string>> = {
  MINTMARK_KEY_ENCRYPTION_KEY: KEY,
  MINTMARK_KEY_ENCRYPTION_KEY_OLD: KEY,
  MINTMARK_TOKEN: 'Bearer a.b.c',
}

const isOfFile = (name: string): boolean => name.endsWith('_FILE')

const goodSetting = (name: string, { example, fallback, parse: { bounds } }: VariableEntry): string =>
  example ?? fallback ?? GOOD_SETTINGS[name] ?? /^(?:some of )?([\w-]+)/.exec(bounds ?? '')?.[1] ?? 'a'

const settings = parsersIn('server/src/config/settings/settings.ts')

/** The parsers of the settings, but those that read the file which a setting names. */
const SETTING_PARSERS: readonly Parser[] = [...settingEntries(), ...Object.entries(COMMAND_VARIABLES)]
  .filter(([name]) => !isOfFile(name))
  .map(([name, setting]: readonly [string, VariableEntry]) =>
    settings.ofText({ name: `SETTINGS ${name}`, good: constant(goodSetting(name, setting)) }, setting.parse),
  )

const imports = parsersIn('server/src/cli/imports/plan-document.ts')
const pasted = parsersIn('api/values/pasted-token.ts')
/** A public key as `openssl pkey -pubout` prints it. */
const PEM_KEY = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
`

const documents = parsersIn('server/src/cli/terminal/parse-json.ts')
const durations = parsersIn('server/src/cli/terminal/duration.ts')
const times = parsersIn('server/src/cli/terminal/time.ts')

const ID = '019aa5b0-1234-7abc-8def-0123456789ab'

export const DOCUMENT_PARSERS: readonly Parser[] = [
  imports.ofText(
    { name: 'planDocument of Keycloak', good: constant(JSON.stringify(realmExport(keycloakClient('a')))) },
    refusesBy(CommandFailed, planning('keycloak')),
  ),
  imports.ofText(
    { name: 'planDocument of Hydra', good: constant(JSON.stringify([HYDRA])) },
    refusesBy(CommandFailed, planning('hydra')),
  ),
  documents.ofText(
    {
      name: 'parseJson',
      good: fc.json().map(json => ({ input: `[${json}]`, value: JSON.parse(`[${json}]`) as unknown })),
    },
    parseJson,
  ),
  documents.ofText(
    { name: 'parseDocument', good: constant('[{"token":"a"}]', [{ token: 'a' }]) },
    refusesBy(CommandFailed, parseDocument),
  ),
  parsersIn('server/src/cli/credential-options.ts').ofText(
    { name: 'readPemKeys', good: constant(PEM_KEY) },
    refusesBy(CommandFailed, readPemKeys),
  ),
  parsersIn('server/src/cli/local/lost-acts.ts').ofText(
    {
      name: 'lostActsIn',
      good: constant(`${entry(1, 'agent.disable', 'a')}\r\n${entry(2, 'agent.change', 'b')}\n`),
    },
    refusesBy(CommandFailed, text => lostActsIn(text, NOW)),
  ),
  parsersIn('server/src/cli/token-id.ts').ofText(
    { name: 'readTokenId', good: constant(ID.toUpperCase(), ID) },
    refusesBy(CommandFailed, readTokenId),
  ),
  parsersIn('server/src/cli/token-id.ts').ofText(
    { name: 'idOfPasted', good: constant(ID.toUpperCase(), ID) },
    refusesBy(CommandFailed, idOfPasted),
  ),
  durations.ofText(
    { name: 'parseDuration', good: constant('90d', 7_776_000) },
    refusesBy(InvalidArgumentError, parseDuration),
  ),
  durations.ofText({ name: 'parseDurationSeconds', good: constant('15m', 900) }, parseDurationSeconds),
  times.ofText(
    { name: 'parseTerminalTime', good: constant('2026-11-21', Date.UTC(2026, 10, 21)) },
    refusesBy(InvalidArgumentError, text => parseTerminalTime(text, 'ago')),
  ),
  times.ofText({ name: 'readTime', good: constant('12h') }, refusesBy(InvalidArgumentError, readTime)),
  times.ofText({ name: 'readExpiry', good: constant('12h') }, refusesBy(InvalidArgumentError, readExpiry)),
  parsersIn('server/src/cli/lists/list-options.ts').ofText(
    { name: 'readLimit', good: constant('25', 25) },
    refusesBy(InvalidArgumentError, readLimit),
  ),
  parsersIn('server/src/cli/agent-options.ts').ofText(
    { name: 'gatherLabels', good: constant('team=a=b', [{ key: 'team', value: 'a=b' }]) },
    refusesBy(InvalidArgumentError, text => gatherLabels(text)),
  ),
  parsersIn('server/src/config/config-file.ts').ofBytes(
    { name: 'parseConfigFile', good: constant(JSON.stringify(CONFIG)) },
    readConfigFile,
  ),
  ...SETTING_PARSERS,
  pasted.ofText({ name: 'readPasted', good: constant('Bearer a.b.c', { text: 'a.b.c' }) }, readPasted),
  pasted.ofText({ name: 'parsePasted', good: constant('Bearer a.b.c', { value: 'a.b.c' }) }, parsePasted),
  parsersIn('server/src/domain/source.ts').ofText(
    { name: 'networkOf', good: constant('2001:db8::1', '2001:db8:0:0::/64') },
    networkOf,
  ),
  parsersIn('server/src/domain/clients/client-trust.ts').ofText(
    { name: 'trustDomainOf', good: constant('spiffe://a.b/c', 'spiffe://a.b') },
    trustDomainOf,
  ),
]
