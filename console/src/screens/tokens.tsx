// The live tokens, newest first.
import { Command } from '../parts/command.tsx'
import { ListScreen } from '../lists/list-screen.tsx'
import { useRole } from '../reading/role.ts'
import { EndMany } from '../tokens/end-many.tsx'
import { TOKEN_FILTERS } from '../tokens/token-filters.ts'
import { LIVE_TOKENS } from '../tokens/token-lists.ts'
import { TokenPanel } from '../tokens/token-panel.tsx'

export const Tokens = () => (
  <ListScreen
    {...LIVE_TOKENS}
    title="Tokens"
    filters={TOKEN_FILTERS}
    isLive
    many={useRole() === 'viewer' ? undefined : asked => <EndMany {...asked} />}
    panel={id => <TokenPanel key={id} id={id} />}
    empty={
      <>
        <p>No live token matches.</p>
        <Command words={['mintmark', 'token', 'list']} />
      </>
    }
  />
)
