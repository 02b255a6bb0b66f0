// The options that describe an agent, as `agent create` and `agent change` share them.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { AT_LIVE_TOKENS_MAX, type AtLiveTokensMax } from '../domain/limits.ts'
import type { AgentFields } from '../operations/agent-fields.ts'

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

const labelsOf = ({ label, removeLabel = [] }: AgentOptions): AgentFields['labels'] => {
  if (label === false) return null
  if (label === undefined && removeLabel.length === 0) return undefined
  const removed = removeLabel.map(key => [key, null] as const)
  return Object.fromEntries([...removed, ...(label ?? []).map(({ key, value }) => [key, value] as const)])
}

/** What the options say of the agent. */
export const fieldsOf = (options: AgentOptions): AgentFields => ({
  name: options.name,
  description: orNull(options.description),
  owner: orNull(options.owner),
  labels: labelsOf(options),
  scope: options.scope,
  defaultScope: orNull(options.defaultScope),
  resources: options.resource === false ? [] : options.resource,
  defaultAudience: orNull(options.defaultAudience),
  lifetimeSeconds: orNull(options.lifetimeSeconds),
  tokensPerMinute: orNull(options.tokensPerMinute),
  tokensPerDay: orNull(options.tokensPerDay),
  liveTokensMax: orNull(options.liveTokensMax),
  atLiveTokensMax: options.atLiveTokensMax,
  dpopBound: options.dpopBoundAccessTokens,
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
    .option('--description <text>', 'what it is for')
    .option('--owner <name>', 'who answers for it')
    .option('--label <key=value>', 'a mark to find it by (repeatable)', gatherLabels)
