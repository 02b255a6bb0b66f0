// The command that does the same at a terminal, to copy.
import { useRef, useState } from 'react'
import { shellWord } from './shell-word.ts'

const COPIED_MS = 1_500
/** A browser that asks whether the page may copy waits for its reader. */
const COPYING_MS_MAX = 10_000

const refuseLater = (): Promise<never> =>
  new Promise((_, reject) => setTimeout(() => reject(new Error('The browser did not copy.')), COPYING_MS_MAX))

const SAID = {
  copied: 'Copied.',
  refused: 'This browser does not let the page copy. It is selected: copy it by its key.',
} as const

type CommandLineProps = {
  readonly text: string
  readonly label?: string
  readonly isWhole?: boolean
  readonly onCopied?: () => void
}

/** So that a key can copy it, where the browser keeps the clipboard from the page. */
const select = (element: Element | null): void => {
  if (element !== null) window.getSelection()?.selectAllChildren(element)
}

export const CommandLine = ({ text, label = 'Copy the command', isWhole = false, onCopied }: CommandLineProps) => {
  const [said, setSaid] = useState<'copied' | 'refused'>()
  const place = useRef<HTMLElement>(null)
  const copy = async (): Promise<void> => {
    try {
      await Promise.race([navigator.clipboard.writeText(text), refuseLater()])
    } catch {
      select(place.current)
      setSaid('refused')
      return
    }
    setSaid('copied')
    onCopied?.()
    setTimeout(() => setSaid(undefined), COPIED_MS)
  }
  return (
    <div className={isWhole ? 'command whole' : 'command'}>
      {/* Where it is longer than its place, the arrows scroll it. */}
      <code tabIndex={0} ref={place}>
        {text}
      </code>
      <button type="button" aria-label={label} onClick={() => void copy()}>
        {said === 'copied' ? 'Copied' : 'Copy'}
      </button>
      <span role="status" className={said === 'refused' ? 'refused' : 'unseen'}>
        {said !== undefined && SAID[said]}
      </span>
    </div>
  )
}

export const Command = ({ words }: { readonly words: readonly string[] }) => (
  <CommandLine text={words.map(shellWord).join(' ')} />
)
