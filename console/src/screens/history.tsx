// The tokens that ended, latest end first.
import { Command } from '../parts/command.tsx'
import { ListScreen } from '../lists/list-screen.tsx'
import { HISTORY_FILTERS } from '../tokens/token-filters.ts'
import { ENDED_TOKENS } from '../tokens/token-lists.ts'
import { TokenPanel } from '../tokens/token-panel.tsx'

export const History = () => (
  <ListScreen
    {...ENDED_TOKENS}
    title="History"
    filters={HISTORY_FILTERS}
    isLive
    panel={id => <TokenPanel key={id} id={id} />}
    empty={
      <>
        <p>No ended token matches.</p>
        <Command words={['mintmark', 'token', 'history']} />
      </>
    }
  />
)
