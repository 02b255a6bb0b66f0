// mintmark credential
import type { Command } from 'commander'
import { addCreateCredential } from './create-credential.ts'
import { addListCredentials } from './list-credentials.ts'
import { addRevokeCredential } from './revoke-credential.ts'
import { addRotateCredential } from './rotate-credential.ts'
import { addShowCredential } from './show-credential.ts'

export const addCredential = (program: Command): void => {
  const credential = program
    .command('credential')
    .description('the secrets of an agent, and what it may present in place of one')
  const verbs = [addCreateCredential, addListCredentials, addShowCredential, addRotateCredential, addRevokeCredential]
  for (const addTo of verbs) addTo(credential)
}
