// Makes the signing key that is to follow the current one, whenever the upkeep of a store finds that none is there.
import { systemAct } from '../../domain/audit/act.ts'
import type { SigningKeyMaker, SigningKeyRepository } from '../../ports/signing-keys.ts'
import { inBackground, type OnFault } from '../background.ts'

type Supply = {
  /** Null: none is made. */
  readonly maker: Pick<SigningKeyMaker, 'make'> | null
  /** There once the store is open. */
  readonly register: Promise<Pick<SigningKeyRepository, 'createNext'>>
  readonly onFault: OnFault
}

/** To be called when a key is wanted, and again until one is there: one at a time is made. */
export const supplyKeys = ({ maker, register, onFault }: Supply): (() => void) => {
  let making = false
  const supply = async (): Promise<void> => {
    if (making || maker === null) return
    making = true
    try {
      const key = await maker.make()
      await (await register).createNext(key, systemAct('signing_key.create'))
    } finally {
      making = false
    }
  }
  return () => void inBackground('new signing key', supply, onFault)
}
