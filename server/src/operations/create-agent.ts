// Registers an agent with its first secret, which is shown this once and kept as its hash.
import type { Act } from '../domain/act.ts'
import { type Agent, LIFETIME_SECONDS_MAX, LIFETIMES_MAX } from '../domain/agent.ts'
import { ANY_RESOURCE, isResource } from '../domain/audience.ts'
import { actBy, type Origin } from '../domain/caller.ts'
import { isName, NAME_FORM } from '../domain/name.ts'
import { type OrRefusal, refuse } from '../domain/refusal.ts'
import { firstScopeBeyond, parseScope, parseScopePatterns } from '../domain/scope.ts'
import type { NewAgent, Ports } from '../ports.ts'

/** Resources that one agent may be allowed by name. */
export const RESOURCES_MAX = 64

export type AgentRequest = {
  readonly name: string
  /** Items, or `resource:*`, separated by single spaces. */
  readonly scope: string
  /** Null: a request without a scope is refused. */
  readonly defaultScope: string | null
  /** Absolute URIs, or `*` for any. */
  readonly resources: readonly string[]
  /** Null: the service's. */
  readonly defaultAudience: string | null
  /** Null: the service's. */
  readonly lifetimeSeconds: number | null
}

export type CreatedAgent = { readonly agent: Agent; readonly clientSecret: string }

const parseScopes = (request: AgentRequest): OrRefusal<Pick<Agent, 'scopes' | 'defaultScope'>> => {
  const scopes = parseScopePatterns(request.scope)
  if (scopes === undefined) {
    return refuse(
      'invalid_scope',
      'The scope is not 1 to 16 items of the form resource:action (or resource:*), separated by single spaces.',
    )
  }
  if (request.defaultScope === null) return { scopes, defaultScope: null }
  const defaultScope = parseScope(request.defaultScope)
  if (defaultScope === undefined) {
    return refuse(
      'invalid_scope',
      'The default scope is not 1 to 16 items of the form resource:action, separated by single spaces.',
    )
  }
  const beyond = firstScopeBeyond(scopes, defaultScope)
  if (beyond === undefined) return { scopes, defaultScope }
  return refuse('invalid_scope', `The default scope holds ${beyond}, which the scope does not allow.`)
}

const checkAudiences = (request: AgentRequest): ReturnType<typeof refuse> | undefined => {
  if (request.resources.length > RESOURCES_MAX) {
    return refuse(
      'invalid_target',
      `An agent may have at most ${RESOURCES_MAX} resources; allow any with ${ANY_RESOURCE}.`,
    )
  }
  const wrong = request.resources.find(resource => resource !== ANY_RESOURCE && !isResource(resource))
  if (wrong !== undefined) {
    return refuse(
      'invalid_target',
      `The resource ${wrong} is neither an absolute URI without a fragment nor ${ANY_RESOURCE}.`,
    )
  }
  if (request.defaultAudience !== null && !isResource(request.defaultAudience)) {
    return refuse('invalid_target', 'The default audience is not an absolute URI without a fragment.')
  }
  return undefined
}

const isLifetime = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 1 && seconds <= LIFETIME_SECONDS_MAX

const checkRequest = (request: AgentRequest): OrRefusal<Pick<Agent, 'scopes' | 'defaultScope'>> => {
  if (!isName(request.name)) return refuse('invalid_request', `The name is not ${NAME_FORM}.`)
  if (request.lifetimeSeconds !== null && !isLifetime(request.lifetimeSeconds)) {
    return refuse('invalid_request', `The lifetime is not a whole number of seconds from 1 to ${LIFETIME_SECONDS_MAX}.`)
  }
  return checkAudiences(request) ?? parseScopes(request)
}

type CreatePorts = Pick<Ports, 'agents' | 'secrets' | 'randomness'>

const store = async (ports: CreatePorts, agent: NewAgent, act: Act): Promise<OrRefusal<Agent>> => {
  const answer = await ports.agents.create(agent, act)
  if (answer === 'name_taken') {
    return refuse('already_exists', `An agent named ${agent.name} exists already; choose another name.`)
  }
  if (answer === 'lifetimes_full') {
    const inUse = (await ports.agents.lifetimes()).join(', ')
    return refuse(
      'invalid_request',
      `${LIFETIMES_MAX} lifetimes are in use, the most there can be; choose one of ${inUse}.`,
    )
  }
  return answer
}

/** Creates an agent. Its `client_id` is its id: one identifier fewer to mix up. */
export const createAgent = async (
  ports: CreatePorts,
  origin: Origin,
  request: AgentRequest,
): Promise<OrRefusal<CreatedAgent>> => {
  const scopes = checkRequest(request)
  if ('refusal' in scopes) return scopes
  const id = ports.randomness.uuid()
  const clientSecret = ports.secrets.makeClientSecret()
  const { name, resources, defaultAudience, lifetimeSeconds } = request
  const credential = { id: ports.randomness.uuid(), secretHash: ports.secrets.hash(clientSecret) }
  const agent = await store(
    ports,
    {
      id,
      clientId: id,
      name,
      ...scopes,
      resources: [...new Set(resources)],
      defaultAudience,
      lifetimeSeconds,
      credential,
    },
    actBy(origin, 'agent.create'),
  )
  return 'refusal' in agent ? agent : { agent, clientSecret }
}
