// Who acted, in a few words for people.
import type { Actor } from '../domain/act.ts'

export const formatActor = (actor: Actor | null): string | null => {
  if (actor === null) return null
  if (actor.type === 'operator') return `operator ${actor.sub} of ${actor.iss}`
  return actor.type === 'system' ? 'the service' : `${actor.type} ${actor.id}`
}
