// What `mintmark-verify serve` is to do, from the texts of its settings.
import { parseUtf8File } from '../../../server/src/config/files.ts'
import type { ReadOf, ValueOf } from '../../../server/src/config/settings/setting-entry.ts'
import type { VerifierOptions } from '../../verify/src/options.ts'
import type { CertificateForm } from '../../verify/src/readers/certificate-header.ts'
import type { ListenAddress } from './listen-address.ts'
import { REQUEST_PLACES, type RequestPlace } from './original-request.ts'
import { type SettingName, type SETTINGS, settingOf, spell, variableOf } from './settings.ts'
import { type Environment, gatherTexts } from './texts.ts'
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

type Settings = typeof SETTINGS

/** `from`: what holds the text, where that is no flag and no variable of the setting itself. */
const parse = (name: SettingName, text: string, from = spell(name)): unknown => {
  const parsed = settingOf(name).parse(text)
  return 'value' in parsed ? parsed.value : misuse(`${from} ${parsed.wrong}.`)
}

const makeReader = (args: readonly string[], environment: Environment) => {
  const texts = gatherTexts(args, environment)
  const textsOf = (name: SettingName): readonly string[] => {
    const { fallback } = settingOf(name)
    return texts.get(name) ?? (fallback === undefined ? [] : [fallback])
  }
  // The parser of the same entry returned it.
  const all = <Name extends SettingName>(name: Name): readonly ValueOf<Settings[Name]>[] =>
    textsOf(name).map(text => parse(name, text) as ValueOf<Settings[Name]>)
  const value = <Name extends SettingName>(name: Name): ReadOf<Settings[Name]> => all(name)[0] as ReadOf<Settings[Name]>
  const required = (name: 'issuer' | 'audience'): readonly string[] =>
    texts.has(name) ? all(name) : misuse(`${spell(name)} is missing. Give it, or set ${variableOf(name)}.`)
  return { all, value, required }
}

type Reader = ReturnType<typeof makeReader>

/** The secret in a file, without the line break at its end. */
const apiKeyIn = (path: string): string => {
  const [file, from] = [parseUtf8File(path), `The file ${JSON.stringify(path)} of --api-key-file`]
  if ('wrong' in file) return misuse(`--api-key-file ${file.wrong}.`)
  const secret = file.value.replace(/\r?\n$/, '')
  if (secret === '') return misuse(`${from} is empty. Write the API key into it.`)
  return String(parse('api-key', secret, from))
}

const apiKeyOf = (read: Reader, mode: string): string | undefined => {
  const [key, file] = [read.value('api-key'), read.value('api-key-file')]
  if (key !== undefined && file !== undefined) {
    misuse(`${variableOf('api-key')} and --api-key-file are both given. Give one of them.`)
  }
  const apiKey = file === undefined ? key : apiKeyIn(file)
  if (apiKey === undefined && mode !== 'offline') {
    misuse(
      `There is no API key. Set ${variableOf('api-key')} or --api-key-file to one with the permission tokens:introspect.`,
    )
  }
  return apiKey
}

const requestFromOf = (read: Reader, origin: string | undefined): RequestPlace | undefined => {
  const place = read.value('request-from')
  return origin !== undefined && place === undefined
    ? misuse(
        `--origin needs --request-from: where the gateway writes the original request, one of ${REQUEST_PLACES.join(', ')}.`,
      )
    : place
}

const certificateOf = (read: Reader, listen: ListenAddress): CertificateSource | undefined => {
  const [header, peers] = [read.value('certificate-header'), read.all('trusted-peer')]
  if (header === undefined && peers.length === 0) return undefined
  if (header === undefined || peers.length === 0) {
    return misuse('--certificate-header and --trusted-peer belong together. Give both, or neither.')
  }
  return { ...header, isTrusted: makeIsTrusted(peers, 'path' in listen) }
}

/** Throws {@link UsageError} for the first thing that is not as it should be. */
export const makeConfig = (args: readonly string[], environment: Environment): GatewayConfig => {
  const read = makeReader(args, environment)
  const [[issuer = ''], audiences] = [read.required('issuer'), read.required('audience')]
  const [mode, whenStale, maxStaleness] = [read.value('mode'), read.value('when-stale'), read.value('max-staleness')]
  const [apiKey, name, resourceMetadata] = [apiKeyOf(read, mode), read.value('name'), read.value('resource-metadata')]
  const [listen, origin] = [read.value('listen'), read.value('origin')]
  return {
    verifier: {
      issuer,
      audience: audiences,
      mode,
      whenStale,
      maxStaleness,
      ...(apiKey !== undefined && { apiKey }),
      ...(name !== undefined && { name }),
      ...(resourceMetadata !== undefined && { resourceMetadata }),
    },
    audiences,
    scopes: read.all('scope').flat(),
    listen,
    origin,
    requestFrom: requestFromOf(read, origin),
    certificate: certificateOf(read, listen),
  }
}
