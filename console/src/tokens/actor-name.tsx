// In this folder: what the console shows of tokens: columns, filters, the panel with checks and tree; and the acts that end them.
// Who acted: an agent or an API key by its name, where the reader may see it.
import type { Actor } from '../../../packages/client/src/index.ts'

const KINDS: Readonly<Record<Actor['type'], string>> = {
  operator: '',
  client: 'client ',
  api_key: 'API key ',
  issuer: 'issuer ',
  cli: 'terminal user ',
  system: 'the service',
}

export const ActorName = ({ actor }: { readonly actor: Actor | null }) =>
  actor !== null && (
    <bdi title={actor.id}>
      {KINDS[actor.type]}
      {actor.name ?? actor.sub ?? actor.id}
    </bdi>
  )
