// A secret that was just made: the service keeps its digest alone, so this is the one time that it is shown.
import * as Dialog from '@radix-ui/react-dialog'
import { CommandLine } from './command.tsx'

export const SecretOnce = ({ secret, about = '' }: { readonly secret: string; readonly about?: string }) => (
  <>
    <Dialog.Description>This is the only time that it is shown. {about}</Dialog.Description>
    <CommandLine text={secret} label="Copy the secret" isWhole />
    <div className="acts">
      <Dialog.Close className="primary">I have it</Dialog.Close>
    </div>
  </>
)
