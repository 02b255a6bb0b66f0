// Why a token ended and who ended it, in words.
import type { Actor } from '../../../packages/client/src/index.ts'

/** Names of reasons are an open set in lower snake case. */
export const formatReason = (reason: string): string => reason.replaceAll('_', ' ')

const KINDS: Readonly<Record<Actor['type'], string>> = {
  operator: '',
  client: 'client ',
  api_key: 'API key ',
  cli: 'terminal user ',
  system: 'the service',
}

export const formatActor = (actor: Actor | null): string =>
  actor === null ? '' : `${KINDS[actor.type]}${actor.sub ?? actor.id ?? ''}`
