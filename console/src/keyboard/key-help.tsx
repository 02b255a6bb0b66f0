// The keys, on one page.
import * as Dialog from '@radix-ui/react-dialog'
import { HELP, JUMP, type Jump, KEYS, keysChoice, OTHER_KEYS } from './keys.ts'

type Line = { readonly keys: readonly string[]; readonly title: string }

const Keys = ({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }) => (
  <section>
    <h3>{title}</h3>
    <dl className="keys">
      {lines.map(line => (
        <div key={line.title}>
          <dt>
            {line.keys.map(key => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{line.title}</dd>
        </div>
      ))}
    </dl>
  </section>
)

const single: readonly Line[] = [...KEYS, { key: HELP, title: 'This help' }].map(({ key, title }) => ({
  keys: [key],
  title,
}))

export const KeyHelp = ({ jumps, onClose }: { readonly jumps: readonly Jump[]; readonly onClose: () => void }) => {
  const choice = keysChoice.use()
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>Keys</Dialog.Title>
          <Dialog.Description>
            {choice === 'on' ? 'Single keys are on.' : 'Single keys are off: only the last group holds.'}
          </Dialog.Description>
          <div className="key-groups">
            <Keys title="Anywhere" lines={single} />
            <Keys title="To a screen" lines={jumps.map(({ key, title }) => ({ keys: [JUMP, key], title }))} />
            <Keys title="In tables" lines={OTHER_KEYS.map(({ key, title }) => ({ keys: key.split(' '), title }))} />
          </div>
          <div className="acts">
            <button type="button" onClick={() => keysChoice.set(choice === 'on' ? 'off' : 'on')}>
              {choice === 'on' ? 'Turn single keys off' : 'Turn single keys on'}
            </button>
            <Dialog.Close className="primary">Close</Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
