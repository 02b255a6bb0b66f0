// Where the open act stands: at the root of the page, so that it outlives the row or the panel that it was opened from.
import * as Dialog from '@radix-ui/react-dialog'
import { Later } from '../parts/later.tsx'
import { closeAct, outcomeNow, useOpenAct } from './open-act.ts'

const focus = (element: Element | null | undefined): boolean => {
  if (!(element instanceof HTMLElement) || !element.isConnected) return false
  element.focus()
  return document.activeElement === element
}

/** Back to the button; or, where the act may have taken that away, to the row, the panel or the screen that it stood in. */
const focusBack = (opener: Element | null, isDone: boolean): void => {
  const near = [opener?.closest('tr')?.querySelector('a'), opener?.closest('.panel')]
  const places = isDone ? [...near, opener] : [opener, ...near]
  if (!places.some(focus)) focus(document.getElementById('screen'))
}

export const ActHost = () => {
  const act = useOpenAct()
  if (act === undefined) return null
  return (
    <Dialog.Root open onOpenChange={closeAct}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="dialog"
          // The key or the click that opened it goes on for some: it must not answer.
          onKeyDown={event => {
            if (event.key === 'Enter' && event.repeat) event.preventDefault()
          }}
          onInteractOutside={event => event.preventDefault()}
          onCloseAutoFocus={event => {
            event.preventDefault()
            focusBack(act.opener, outcomeNow() === 'done')
          }}
        >
          <Later>{act.content}</Later>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
