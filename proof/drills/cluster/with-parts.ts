// A drill on a cluster: begins where this machine has the parts for one, says what it lacks, and ends the process.
import { CANNOT_RUN, print } from '../drill.ts'
import { findParts, type Parts } from './parts.ts'

export const withParts = async (perform: (parts: Parts) => Promise<void>): Promise<never> => {
  const parts = findParts()
  if ('etcd' in parts) {
    await perform(parts)
    // What the drill itself listened on keeps it no longer.
    process.exit()
  }
  print(`This drill needs, and this machine lacks:\n${parts.map(part => `  ${part}`).join('\n')}`)
  process.exit(CANNOT_RUN)
}
