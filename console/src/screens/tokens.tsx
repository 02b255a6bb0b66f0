// The live tokens, newest first.
import { Command } from '../parts/command.tsx'
import { ListScreen } from '../lists/list-screen.tsx'
import { withLabels } from '../reading/page.ts'
import { readPage } from '../reading/read-page.ts'
import { useRole } from '../reading/role.ts'
import { administration } from '../reading/service.ts'
import { EndMany } from '../tokens/end-many.tsx'
import { TOKEN_COLUMNS } from '../tokens/token-columns.tsx'
import { TOKEN_FILTERS } from '../tokens/token-filters.ts'
import { TokenPanel } from '../tokens/token-panel.tsx'

export const Tokens = () => (
  <ListScreen
    title="Tokens"
    label="Live tokens, newest first"
    filters={TOKEN_FILTERS}
    columns={TOKEN_COLUMNS}
    idOf={({ id }) => id}
    isLive
    many={useRole() === 'viewer' ? undefined : asked => <EndMany {...asked} />}
    name="tokens"
    count={(query, signal) => administration.countTokens({ query: withLabels(query), signal })}
    read={query =>
      readPage((cursor, signal) => administration.listTokens({ query: { ...withLabels(query), cursor }, signal }))
    }
    panel={id => <TokenPanel key={id} id={id} />}
    empty={
      <>
        <p>No live token matches.</p>
        <Command words={['mintmark', 'token', 'list']} />
      </>
    }
  />
)
