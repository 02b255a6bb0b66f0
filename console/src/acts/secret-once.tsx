// A secret that was just made: the service keeps its digest alone, so this is the one time that it is shown.
import { useState } from 'react'
import { CommandLine } from '../parts/command.tsx'
import { DoneButton } from './act-dialog.tsx'
import { useHold, useIsCloseRefused } from './open-act.ts'

export const SecretOnce = ({ secret }: { readonly secret: string }) => {
  const [isSaved, setSaved] = useState(false)
  const isRefused = useIsCloseRefused()
  useHold(!isSaved)
  return (
    <>
      <p>This is the only time that it is shown.</p>
      <CommandLine text={secret} label="Copy the secret" isWhole onCopied={() => setSaved(true)} />
      <label className="check">
        <input type="checkbox" checked={isSaved} onChange={event => setSaved(event.target.checked)} />I have saved it
      </label>
      {isRefused && !isSaved && <p role="alert">Copy it, or say that you have saved it: then this can be closed.</p>}
      <DoneButton isDisabled={!isSaved} />
    </>
  )
}
