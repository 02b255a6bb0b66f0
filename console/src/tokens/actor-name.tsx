// Who acted: an agent by its name, everybody else as `formatActor` says.
import type { Actor } from '../../../packages/client/src/index.ts'
import { AgentNameOrText } from '../parts/agent-name.tsx'
import { formatActor } from './describe-end.ts'

/** Of an agent that was made here, the id of its client is its own. */
export const ActorName = ({ actor }: { readonly actor: Actor | null }) =>
  actor?.type === 'client' && actor.id !== undefined ? (
    <>
      client <AgentNameOrText text={actor.id} />
    </>
  ) : (
    formatActor(actor)
  )
