// The command that does the same at a terminal, to copy.
import { useState } from 'react'
import { shellWord } from './shell-word.ts'

const COPIED_MS = 1_500

type CommandLineProps = { readonly text: string; readonly label?: string; readonly isWhole?: boolean }

export const CommandLine = ({ text, label = 'Copy the command', isWhole = false }: CommandLineProps) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), COPIED_MS)
  }
  return (
    <div className={isWhole ? 'command whole' : 'command'}>
      {/* Where it is longer than its place, the arrows scroll it. */}
      <code tabIndex={0}>{text}</code>
      <button type="button" aria-label={label} onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  )
}

export const Command = ({ words }: { readonly words: readonly string[] }) => (
  <CommandLine text={words.map(shellWord).join(' ')} />
)
