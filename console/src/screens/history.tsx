// The tokens that ended, latest end first.
import { Command } from '../parts/command.tsx'
import { ListScreen } from '../lists/list-screen.tsx'
import { withLabels } from '../reading/page.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { HISTORY_COLUMNS } from '../tokens/token-columns.tsx'
import { HISTORY_FILTERS } from '../tokens/token-filters.ts'
import { TokenPanel } from '../tokens/token-panel.tsx'

export const History = () => (
  <ListScreen
    title="History"
    label="Ended tokens, latest end first"
    filters={HISTORY_FILTERS}
    columns={HISTORY_COLUMNS}
    idOf={({ id }) => id}
    isLive
    name="history"
    count={(query, signal) => administration.countHistory({ query: withLabels(query), signal })}
    read={query =>
      readPage((cursor, signal) => administration.listHistory({ query: { ...withLabels(query), cursor }, signal }))
    }
    panel={id => <TokenPanel key={id} id={id} />}
    empty={
      <>
        <p>No ended token matches.</p>
        <Command words={['mintmark', 'token', 'history']} />
      </>
    }
  />
)
