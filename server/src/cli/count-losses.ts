// What a change would take from an agent, and how many of its tokens would end with it.
import { ANY_RESOURCE, firstResourceBeyond, hasResource } from '../../../api/values/audience.ts'
import { ANY_AGENT, TOKEN_EXCHANGE } from '../../../api/values/delegation.ts'
import { matchesScope } from '../../../api/values/scope.ts'
import type { Api } from './remote/api.ts'
import { describeAgent } from './names/agent-names.ts'
import { showAgent } from '../../../api/agents.ts'
import type { ChangeBody } from './agent-options.ts'
import { countAlive, type RevocationBody } from './count-alive.ts'
import type { PrintedRecord } from './terminal/print.ts'

/** Some of its tokens, which end, or among which some may stay. */
type Loss = { readonly words: string; readonly conditions: RevocationBody; readonly isWhole: boolean }

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

const lostScopes = (before: PrintedRecord, { scope }: ChangeBody): readonly Loss[] => {
  if (scope === undefined) return []
  const kept = scope.split(' ')
  return String(before['scope'])
    .split(' ')
    .filter(pattern => !kept.some(one => matchesScope(one, pattern)))
    .map(pattern => ({
      words: `with scope ${pattern}`,
      conditions: { scope: pattern },
      isWhole: !kept.some(one => matchesScope(pattern, one)),
    }))
}

const lossOf = (audience: string | null, isWhole: boolean): Loss => {
  // Which one that is only the service knows.
  if (audience === null) return { words: 'for the default audience of the service', conditions: {}, isWhole: false }
  return audience === ANY_RESOURCE
    ? { words: 'for an audience that it is not allowed by name', conditions: {}, isWhole: false }
    : { words: `for audience ${audience}`, conditions: { audience }, isWhole }
}

/** An audience that is null is the default one of the service. */
const lostAudiences = (before: PrintedRecord, change: ChangeBody): readonly Loss[] => {
  const resources = textsOf(before['resources'])
  const fallback = typeof before['default_audience'] === 'string' ? before['default_audience'] : null
  const { resources: newResources = resources, default_audience: newFallback = fallback } = change
  const kept = [...textsOf(newResources), newFallback].filter(one => one !== null)
  if (kept.includes(ANY_RESOURCE)) return []
  const lost = [...new Set([...resources, fallback])].filter(one =>
    one === null ? newFallback !== null : !hasResource(kept, one),
  )
  // What the service falls back on may be any of those lost.
  return lost.map(one => lossOf(one, newFallback !== null))
}

const losesAny = (before: unknown, after: readonly string[] | undefined): boolean =>
  after !== undefined && textsOf(before).some(entry => !after.includes(entry))

/** What it got for tokens of others, where it may no longer exchange all that it could. */
const lostActors = (before: PrintedRecord, { acts_for, receives, grant_types }: ChangeBody): readonly Loss[] => {
  const coversAny = acts_for?.includes(ANY_AGENT) === true
  const losesGrant = textsOf(before['grant_types']).includes(TOKEN_EXCHANGE) && losesAny([TOKEN_EXCHANGE], grant_types)
  const isBeyond = receives !== undefined && firstResourceBeyond(receives, textsOf(before['receives'])) !== undefined
  const isLost = losesGrant || isBeyond
  if (!isLost && (coversAny || !losesAny(before['acts_for'], acts_for))) return []
  return [{ words: 'that it got for tokens of other agents', conditions: {}, isWhole: false }]
}

/** What the change ends, in a sentence; null where it takes nothing away. */
export const countLosses = async (api: Api, agentId: string, change: ChangeBody): Promise<string | null> => {
  const { scope, resources, default_audience, acts_for, receives, grant_types } = change
  const wanted = [scope, resources, default_audience, acts_for, receives, grant_types]
  if (wanted.every(member => member === undefined)) return null
  const before = await api.call(showAgent, { path: { id: agentId } })
  const losses = [...lostScopes(before, change), ...lostAudiences(before, change), ...lostActors(before, change)]
  if (losses.length === 0) return null
  const counts = losses.map(async ({ words, conditions, isWhole }) => {
    const count = await countAlive(api, { agent_id: agentId, ...conditions })
    return `${words} (${isWhole ? '' : 'of '}${count})`
  })
  const agent = await describeAgent(api, { agent_id: agentId })
  return `This ends the tokens of agent ${agent} ${(await Promise.all(counts)).join(' and ')}.`
}
