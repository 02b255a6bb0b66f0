// The settings of `mintmark-verify serve`, one entry each: flags, variables, their parsers, `--help` and the table of the page derive from it.
import { parseCertificateHeader } from '../../../server/src/config/addresses.ts'
import type { VariableEntry } from '../../../server/src/config/settings/setting-entry.ts'
import { parseOneOf, type Parser, parseText, wrong } from '../../../server/src/config/values.ts'
import { isApiKey, isVerifierName, STALENESS_MAX, STALENESS_MIN } from '../../verify/src/options.ts'
import { isScopes } from './check-query.ts'
import { type ListenAddress, parseListenAddress } from './listen-address.ts'
import { REQUEST_PLACES } from './original-request.ts'
import { parsePeer } from './trusted-peers.ts'

export type Setting = Pick<VariableEntry, 'parse' | 'fallback' | 'meaning'> & {
  /** What stands for the value in `--help`. */
  readonly value: string
  /** Whether there may be several: the flag again, or the variable with spaces between. */
  readonly isList?: true
  /** Whether it has no flag, because others on the machine read the arguments of a process. */
  readonly isSecret?: true
}

/** The message must not contain any of it. */
const parseApiKey: Parser<string> = text =>
  isApiKey(text)
    ? { value: text }
    : wrong('holds a character that no API key has, such as a space or a second line; expected the key alone')

const parseListen: Parser<ListenAddress> = text => {
  const value = parseListenAddress(text)
  return value === undefined
    ? wrong(`is ${JSON.stringify(text)}; expected HOST:PORT, [IPv6]:PORT or unix:/PATH`)
    : { value }
}

const parseStaleness: Parser<number> = text => {
  const value = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  return value >= STALENESS_MIN && value <= STALENESS_MAX
    ? { value }
    : wrong(`is ${JSON.stringify(text)}; expected seconds from ${STALENESS_MIN} to ${STALENESS_MAX}`)
}

const parseScopes: Parser<readonly string[]> = text =>
  isScopes(text)
    ? { value: text.split(' ') }
    : wrong(`is ${JSON.stringify(text)}; expected scopes as RFC 6749 has them`)

const parseOrigin: Parser<string> = text =>
  URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text
    ? { value: text }
    : wrong(
        `is ${JSON.stringify(text)}; expected scheme and host alone, in small letters, such as https://orders.example`,
      )

const parseVerifierName: Parser<string> = text =>
  isVerifierName(text)
    ? { value: text }
    : wrong(`is ${JSON.stringify(text)}; expected 1 to 100 printable characters of ASCII, without spaces around`)

/** By the name of the flag. */
export const SETTINGS = {
  issuer: {
    parse: parseText,
    value: 'URL',
    meaning: 'Required. The base URL of the service, exactly as in `iss`; https, or http on loopback.',
  },
  audience: {
    parse: parseText,
    value: 'URI',
    isList: true,
    meaning: 'Required. What tokens must carry in `aud`: one of these. `/check?audience=URI` narrows it to one.',
  },
  'api-key': {
    parse: parseApiKey,
    value: 'KEY',
    isSecret: true,
    meaning:
      'An API key with the permission tokens:introspect. Required unless the mode is offline, here or in a file.',
  },
  'api-key-file': { parse: parseText, value: 'PATH', meaning: 'A file with that key. It is read once, at the start.' },
  listen: {
    parse: parseListen,
    value: 'ADDRESS',
    fallback: '127.0.0.1:8790',
    meaning: 'HOST:PORT, [IPv6]:PORT or unix:PATH. It speaks plain HTTP: let nobody but the gateway reach it.',
  },
  mode: {
    parse: parseOneOf(['feed', 'introspect', 'offline']),
    value: 'MODE',
    fallback: 'feed',
    meaning: 'feed, introspect or offline. In mode offline a revoked token passes until its `exp`.',
  },
  'max-staleness': {
    parse: parseStaleness,
    value: 'SECONDS',
    fallback: '5',
    meaning: 'Beyond it the feed alone accepts nothing, and `/readyz` is 503: 0.2 to 3600.',
  },
  'when-stale': {
    parse: parseOneOf(['introspect', 'refuse']),
    value: 'WHAT',
    fallback: 'introspect',
    meaning: 'Then introspect asks the service about each token, and refuse answers 503.',
  },
  scope: {
    parse: parseScopes,
    value: 'SCOPE',
    isList: true,
    meaning: 'What every token must carry. `/check?scope=SCOPE` asks for more beside it.',
  },
  origin: {
    parse: parseOrigin,
    value: 'ORIGIN',
    meaning:
      'The origin under which callers know the API, such as https://orders.example: DPoP proofs are compared with it. Without it tokens that are bound to a key are 401.',
  },
  'request-from': {
    parse: parseOneOf(REQUEST_PLACES),
    value: 'WHERE',
    meaning:
      'Where the gateway writes method and target of the original request: x-original (X-Original-Method, X-Original-URI), x-forwarded (X-Forwarded-Method, X-Forwarded-Uri), or path (the method of the check, and its target after /check). The gateway must set both itself. Required with --origin.',
  },
  'certificate-header': {
    parse: parseCertificateHeader,
    value: 'HEADER',
    meaning:
      'The header in which the gateway forwards the certificate of its client, a space and its form: rfc9440, pem (percent-encoded), base64 or xfcc. It goes with --trusted-peer.',
  },
  'trusted-peer': {
    parse: parsePeer,
    value: 'NETWORK',
    isList: true,
    meaning:
      'ADDRESS, ADDRESS/BITS, or unix for the peers of a unix socket: that header is ignored from any other peer.',
  },
  'resource-metadata': {
    parse: parseText,
    value: 'URL',
    meaning:
      'What challenges name as the metadata of the API (RFC 9728). Derived from the first audience unless given.',
  },
  name: {
    parse: parseVerifierName,
    value: 'NAME',
    meaning:
      'How operators see this process in `mintmark verifier list`: one of its own for each process. Without it nothing is reported.',
  },
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof SETTINGS

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** An entry with all members that it may have. */
export const settingOf = (name: SettingName): Setting => SETTINGS[name]

export const PREFIX = 'MINTMARK_VERIFY_'

export const variableOf = (name: SettingName): string => PREFIX + name.toUpperCase().replaceAll('-', '_')

/** How a person writes the setting: its flag, or the variable of a secret. */
export const spell = (name: SettingName): string => (settingOf(name).isSecret ? variableOf(name) : `--${name}`)

const HELP_HEAD = `Usage: mintmark-verify serve --issuer URL --audience URI [options]

Checks access tokens for a gateway: GET /check answers 200, or 401, 403 or 503.

Each option may stand in the variable below it instead; the option wins.
`

/** The text of `--help`. */
export const formatHelp = (): string => {
  const entries = SETTING_NAMES.map(name => {
    const { value, meaning, fallback, isList, isSecret } = settingOf(name)
    const head = isSecret ? variableOf(name) : `--${name} ${value}${isList ? ' …' : ''}\n  ${variableOf(name)}`
    return `${head}\n      ${meaning.replaceAll('`', '')}${fallback === undefined ? '' : ` Default: ${fallback}.`}\n`
  })
  return [HELP_HEAD, ...entries].join('\n')
}

/** The table of the page. */
export const formatTable = (): string => {
  const rows = SETTING_NAMES.map(name => {
    const { value, meaning, fallback, isList, isSecret } = settingOf(name)
    const flag = isSecret ? '' : `\`--${name} ${value}\`${isList ? ', again for more' : ''}`
    return `| ${flag} | \`${variableOf(name)}\` | ${meaning}${fallback === undefined ? '' : ` Default: \`${fallback}\`.`} |`
  })
  return ['| flag | variable | meaning |', '|---|---|---|', ...rows].join('\n')
}
