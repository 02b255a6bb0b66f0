// The options that describe an agent, as `agent create` and `agent change` share them.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { AT_LIVE_TOKENS_MAX, type AtLiveTokensMax } from '../../../api/values/limits.ts'

/** A member is false where the option was given as `--no-…`. */
export type AgentOptions = {
  readonly name?: string
  readonly description?: string | false
  readonly owner?: string | false
  readonly label?: readonly Label[] | false
  readonly removeLabel?: readonly string[]
  readonly scope?: string
  readonly defaultScope?: string | false
  readonly resource?: readonly string[] | false
  readonly defaultAudience?: string | false
  readonly lifetimeSeconds?: number | false
  readonly tokensPerMinute?: number | false
  readonly tokensPerDay?: number | false
  readonly liveTokensMax?: number | false
  readonly atLiveTokensMax?: AtLiveTokensMax
  readonly dpopBoundAccessTokens?: boolean
  readonly tlsClientCertificateBoundAccessTokens?: boolean
}

export type Label = { readonly key: string; readonly value: string }

const parseSeconds = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of seconds.')
  return Number(text)
}

const parseCount = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.')
  return Number(text)
}

/** Gathers the labels of a repeated option; `before` is false after `--no-label`. */
export const gatherLabels = (text: string, before: readonly Label[] | false = false): readonly Label[] => {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected key=value.')
  return [...(before || []), { key: text.slice(0, equals), value: text.slice(equals + 1) }]
}

/** Null is what `--no-…` asks for. */
const orNull = <T>(value: T | false | undefined): T | null | undefined => (value === false ? null : value)

const labelsOf = ({
  label,
  removeLabel = [],
}: AgentOptions): Readonly<Record<string, string | null>> | null | undefined => {
  if (label === false) return null
  if (label === undefined && removeLabel.length === 0) return undefined
  const removed = removeLabel.map(key => [key, null] as const)
  return Object.fromEntries([...removed, ...(label ?? []).map(({ key, value }) => [key, value] as const)])
}

/** What the options say of the agent, as the API takes it. */
export const bodyOf = (options: AgentOptions) => ({
  name: options.name,
  description: orNull(options.description),
  owner: orNull(options.owner),
  labels: labelsOf(options),
  scope: options.scope,
  default_scope: orNull(options.defaultScope),
  resources: options.resource === false ? [] : options.resource,
  default_audience: orNull(options.defaultAudience),
  lifetime_seconds: orNull(options.lifetimeSeconds),
  tokens_per_minute: orNull(options.tokensPerMinute),
  tokens_per_day: orNull(options.tokensPerDay),
  live_tokens_max: orNull(options.liveTokensMax),
  at_live_tokens_max: options.atLiveTokensMax,
  dpop_bound_access_tokens: options.dpopBoundAccessTokens,
  tls_client_certificate_bound_access_tokens: options.tlsClientCertificateBoundAccessTokens,
})

/** The options beside --name and --scope, which `create` requires and `change` does not. */
export const addAgentOptions = (command: Command): Command =>
  command
    .option(
      '--default-scope <scope>',
      'what it gets when a request names no scope; without it such a request is refused',
    )
    .option('--resource <uri...>', 'a resource that it may ask for (repeatable); "*" for any')
    .option('--default-audience <uri>', 'the audience of its tokens when a request names no resource')
    .option('--lifetime-seconds <n>', 'the lifetime of its tokens, instead of the service’s', parseSeconds)
    .option('--tokens-per-minute <n>', 'the most tokens that it gets in any 60 seconds', parseCount)
    .option('--tokens-per-day <n>', 'the most tokens that it gets in any 24 hours', parseCount)
    .option('--live-tokens-max <n>', 'the most of its tokens that are alive at once', parseCount)
    .addOption(
      new Option(
        '--at-live-tokens-max <what>',
        'what a request beyond that does: end its oldest token, or be refused',
      ).choices(AT_LIVE_TOKENS_MAX),
    )
    .option('--dpop-bound-access-tokens', 'give it no token without a DPoP proof (RFC 9449)')
    .option('--no-dpop-bound-access-tokens', 'give it bearer tokens too, as every agent gets unless said otherwise')
    .option('--tls-client-certificate-bound-access-tokens', 'bind its tokens to its TLS certificate (RFC 8705)')
    .option('--no-tls-client-certificate-bound-access-tokens', 'bind them to none')
    .option('--description <text>', 'what it is for')
    .option('--owner <name>', 'who answers for it')
    .option('--label <key=value>', 'a mark to find it by (repeatable)', gatherLabels)
