// What is new in a list, on a button that shows it; and the pause.
import type { Changes } from '../reading/changes.ts'
import { Pause } from '../parts/pause.tsx'

const formatChanges = ({ added, isMore, gone }: Changes): string =>
  [added > 0 ? `${added}${isMore ? '+' : ''} new` : '', gone.size > 0 ? `${gone.size} gone` : '']
    .filter(part => part !== '')
    .join(', ')

type NewRowsProps = { readonly changes: Changes; readonly onShow: () => void }

export const NewRows = ({ changes, onShow }: NewRowsProps) => {
  const text = formatChanges(changes)
  return (
    <span role="status">
      {text !== '' && (
        <button type="button" className="new" onClick={onShow}>
          {text}
        </button>
      )}
    </span>
  )
}

export const LiveBar = (props: NewRowsProps) => (
  <div className="live-bar">
    <NewRows {...props} />
    <Pause />
  </div>
)
