// What `mintmark-verify serve` is to do, from the texts of its settings.
import { isApiKey, isVerifierName, STALENESS_MAX, STALENESS_MIN, type VerifierOptions } from '../options.ts'
import { CERTIFICATE_FORMS, type CertificateForm } from '../readers/certificate-header.ts'
import { isScopes } from './check-query.ts'
import { type ListenAddress, parseListenAddress } from './listen-address.ts'
import { REQUEST_PLACES, type RequestPlace } from './original-request.ts'
import { type SettingName, settingOf, spell, variableOf } from './settings.ts'
import { type Environment, gatherTexts, secretIn, type Texts } from './texts.ts'
import { type IsTrusted, makeIsTrusted } from './trusted-peers.ts'
import { misuse } from './usage-error.ts'

export type CertificateSource = {
  /** The name of the header in small letters. */
  readonly name: string
  readonly form: CertificateForm
  readonly isTrusted: IsTrusted
}

export type GatewayConfig = {
  /** What the verifier is made of, without hooks. */
  readonly verifier: VerifierOptions
  readonly audiences: readonly string[]
  readonly scopes: readonly string[]
  readonly listen: ListenAddress
  readonly origin: string | undefined
  readonly requestFrom: RequestPlace | undefined
  readonly certificate: CertificateSource | undefined
}

const MODES = ['feed', 'introspect', 'offline'] as const
const WHEN_STALE = ['introspect', 'refuse'] as const
const NAME_AND_FORM = /^([A-Za-z0-9-]{1,64}) +(\w+)$/

const oneOf = (texts: Texts, name: SettingName): string | undefined => texts.get(name)?.[0] ?? settingOf(name).fallback

const required = (texts: Texts, name: SettingName): readonly string[] =>
  texts.get(name) ?? misuse(`${spell(name)} is missing. Give it, or set ${variableOf(name)}.`)

const choice = <T extends string>(texts: Texts, name: SettingName, choices: readonly T[]): T => {
  const text = oneOf(texts, name)
  return (
    choices.find(one => one === text) ??
    misuse(`${spell(name)} is ${JSON.stringify(text)}. Give one of: ${choices.join(', ')}.`)
  )
}

const apiKeyOf = (texts: Texts, mode: string): string | undefined => {
  const [key, file] = [texts.get('api-key')?.[0], texts.get('api-key-file')?.[0]]
  if (key !== undefined && file !== undefined) {
    misuse(`${variableOf('api-key')} and --api-key-file are both given. Give one of them.`)
  }
  const apiKey = file === undefined ? key : secretIn(file)
  if (apiKey === undefined && mode !== 'offline') {
    misuse(
      `There is no API key. Set ${variableOf('api-key')} or --api-key-file to one with the permission tokens:introspect.`,
    )
  }
  if (apiKey !== undefined && !isApiKey(apiKey)) {
    const source = file === undefined ? variableOf('api-key') : `The file ${JSON.stringify(file)} of --api-key-file`
    misuse(`${source} holds a character that no API key has, such as a space or a second line. Give the key alone.`)
  }
  return apiKey
}

const stalenessOf = (texts: Texts): number => {
  const text = oneOf(texts, 'max-staleness') ?? ''
  const seconds = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  return seconds >= STALENESS_MIN && seconds <= STALENESS_MAX
    ? seconds
    : misuse(`--max-staleness is ${JSON.stringify(text)}. Give seconds from ${STALENESS_MIN} to ${STALENESS_MAX}.`)
}

const scopesOf = (texts: Texts): readonly string[] =>
  (texts.get('scope') ?? []).flatMap(text =>
    isScopes(text) ? text.split(' ') : misuse(`--scope is ${JSON.stringify(text)}. Give scopes as RFC 6749 has them.`),
  )

const listenOf = (texts: Texts): ListenAddress => {
  const text = oneOf(texts, 'listen') ?? ''
  return (
    parseListenAddress(text) ??
    misuse(`--listen is ${JSON.stringify(text)}. Give HOST:PORT, [IPv6]:PORT or unix:/PATH.`)
  )
}

const originOf = (texts: Texts): string | undefined => {
  const text = oneOf(texts, 'origin')
  if (text === undefined) return undefined
  const isOrigin = URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text
  return isOrigin
    ? text
    : misuse(
        `--origin is ${JSON.stringify(text)}. Give scheme and host alone, in small letters, such as https://orders.example.`,
      )
}

const requestFromOf = (texts: Texts, origin: string | undefined): RequestPlace | undefined => {
  const place = texts.has('request-from') ? choice(texts, 'request-from', REQUEST_PLACES) : undefined
  return origin !== undefined && place === undefined
    ? misuse(
        `--origin needs --request-from: where the gateway writes the original request, one of ${REQUEST_PLACES.join(', ')}.`,
      )
    : place
}

const certificateOf = (texts: Texts, listen: ListenAddress): CertificateSource | undefined => {
  const [header, peers] = [oneOf(texts, 'certificate-header'), texts.get('trusted-peer')]
  if (header === undefined && peers === undefined) return undefined
  if (header === undefined || peers === undefined) {
    return misuse('--certificate-header and --trusted-peer belong together. Give both, or neither.')
  }
  const [, name = '', given] = NAME_AND_FORM.exec(header) ?? []
  const form = CERTIFICATE_FORMS.find(one => one === given)
  if (form === undefined) {
    const forms = CERTIFICATE_FORMS.join(', ')
    return misuse(
      `--certificate-header is ${JSON.stringify(header)}. Give a name, a space and one of ${forms}, such as "Client-Cert rfc9440".`,
    )
  }
  const isTrusted = makeIsTrusted(peers, 'path' in listen)
  return isTrusted === undefined
    ? misuse(`--trusted-peer is ${JSON.stringify(peers.join(' '))}. Give addresses, networks as ADDRESS/BITS, or unix.`)
    : { name: name.toLowerCase(), form, isTrusted }
}

const nameOf = (texts: Texts): string | undefined => {
  const name = oneOf(texts, 'name')
  return name === undefined || isVerifierName(name)
    ? name
    : misuse(`--name is ${JSON.stringify(name)}. Give 1 to 100 printable characters of ASCII, without spaces around.`)
}

/** Throws {@link UsageError} for the first thing that is not as it should be. */
export const makeConfig = (args: readonly string[], environment: Environment): GatewayConfig => {
  const texts = gatherTexts(args, environment)
  const [issuer = ''] = required(texts, 'issuer')
  const audiences = required(texts, 'audience')
  const mode = choice(texts, 'mode', MODES)
  const whenStale = choice(texts, 'when-stale', WHEN_STALE)
  const [apiKey, name, resourceMetadata] = [apiKeyOf(texts, mode), nameOf(texts), oneOf(texts, 'resource-metadata')]
  const [listen, origin] = [listenOf(texts), originOf(texts)]
  return {
    verifier: {
      issuer,
      audience: audiences,
      mode,
      whenStale,
      maxStaleness: stalenessOf(texts),
      ...(apiKey !== undefined && { apiKey }),
      ...(name !== undefined && { name }),
      ...(resourceMetadata !== undefined && { resourceMetadata }),
    },
    audiences,
    scopes: scopesOf(texts),
    listen,
    origin,
    requestFrom: requestFromOf(texts, origin),
    certificate: certificateOf(texts, listen),
  }
}
