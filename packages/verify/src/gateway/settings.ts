// The settings of `mintmark-verify serve`, one entry each: flags, variables, `--help` and the table of the page derive from it.

export type Setting = {
  /** What stands for the value in `--help`. */
  readonly value: string
  readonly meaning: string
  /** The value where none is given. */
  readonly fallback?: string
  /** Whether there may be several: the flag again, or the variable with spaces between. */
  readonly isList?: true
  /** Whether it has no flag, because others on the machine read the arguments of a process. */
  readonly isSecret?: true
}

/** By the name of the flag. */
export const SETTINGS = {
  issuer: {
    value: 'URL',
    meaning: 'Required. The base URL of the service, exactly as in `iss`; https, or http on loopback.',
  },
  audience: {
    value: 'URI',
    isList: true,
    meaning: 'Required. What tokens must carry in `aud`: one of these. `/check?audience=URI` narrows it to one.',
  },
  'api-key': {
    value: 'KEY',
    isSecret: true,
    meaning:
      'An API key with the permission tokens:introspect. Required unless the mode is offline, here or in a file.',
  },
  'api-key-file': { value: 'PATH', meaning: 'A file with that key. It is read once, at the start.' },
  listen: {
    value: 'ADDRESS',
    fallback: '127.0.0.1:8790',
    meaning: 'HOST:PORT, [IPv6]:PORT or unix:PATH. It speaks plain HTTP: let nobody but the gateway reach it.',
  },
  mode: {
    value: 'MODE',
    fallback: 'feed',
    meaning: 'feed, introspect or offline. In mode offline a revoked token passes until its `exp`.',
  },
  'max-staleness': {
    value: 'SECONDS',
    fallback: '5',
    meaning: 'Beyond it the feed alone accepts nothing, and `/readyz` is 503: 0.2 to 3600.',
  },
  'when-stale': {
    value: 'WHAT',
    fallback: 'introspect',
    meaning: 'Then introspect asks the service about each token, and refuse answers 503.',
  },
  scope: {
    value: 'SCOPE',
    isList: true,
    meaning: 'What every token must carry. `/check?scope=SCOPE` asks for more beside it.',
  },
  origin: {
    value: 'ORIGIN',
    meaning:
      'The origin under which callers know the API, such as https://orders.example: DPoP proofs are compared with it. Without it tokens that are bound to a key are 401.',
  },
  'request-from': {
    value: 'WHERE',
    meaning:
      'Where the gateway writes method and target of the original request: x-original (X-Original-Method, X-Original-URI), x-forwarded (X-Forwarded-Method, X-Forwarded-Uri), or path (the method of the check, and its target after /check). The gateway must set both itself. Required with --origin.',
  },
  'certificate-header': {
    value: 'HEADER',
    meaning:
      'The header in which the gateway forwards the certificate of its client, a space and its form: rfc9440, pem (percent-encoded), base64 or xfcc. It goes with --trusted-peer.',
  },
  'trusted-peer': {
    value: 'NETWORK',
    isList: true,
    meaning:
      'ADDRESS, ADDRESS/BITS, or unix for the peers of a unix socket: that header is ignored from any other peer.',
  },
  'resource-metadata': {
    value: 'URL',
    meaning:
      'What challenges name as the metadata of the API (RFC 9728). Derived from the first audience unless given.',
  },
  name: {
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
