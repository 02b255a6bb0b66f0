// Checks the whole audit log against its seals, one part after another.
import type { CheckSealsAnswer } from '../../../packages/client/src/index.ts'
import { administration } from '../reading/service.ts'

/** What its last part said. `onPart`: up to which entry all is as it was, and how many are sealed. */
export const checkLog = async (onPart: (entry: number, sealed: number) => void): Promise<CheckSealsAnswer> => {
  for (let after = 0; ; ) {
    const part = await administration.checkSeals({ query: { after_seal: after } })
    if (part.state !== 'more' || part.seal === null) return part
    onPart(part.entry ?? 0, part.sealed_up_to)
    after = part.seal
  }
}
