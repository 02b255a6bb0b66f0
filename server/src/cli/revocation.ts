// mintmark revocation
import type { Command } from 'commander'
import { addCreateRevocation } from './create-revocation.ts'
import { addShowRevocation } from './show-revocation.ts'

export const addRevocation = (program: Command): void => {
  const revocation = program.command('revocation').description('ends of many tokens at once')
  for (const addTo of [addCreateRevocation, addShowRevocation]) addTo(revocation)
}
