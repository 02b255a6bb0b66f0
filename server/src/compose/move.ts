// Wires the move of an embedded store into a database: copied while the service runs, finished when it is stopped.
import { forPerson } from './store.ts'
import type { PostgresConfig } from '../config/database.ts'
import { timingOf } from './timing.ts'
import type { OnMoved } from '../store/offline/move-tables.ts'
import type { TableDigest } from '../store/offline/copy-tables.ts'

const timing = timingOf()

type PlannedMove = {
  /** The embedded store. */
  readonly file: string
  readonly address: PostgresConfig
  readonly onMoved: OnMoved
}

const load = async () => ({
  ...(await import('../store/offline/sqlite/moving-store.ts')),
  ...(await import('../store/offline/postgres/moving-target.ts')),
  ...(await import('../store/offline/move-tables.ts')),
})

/** What was compared as a whole, and how many rows changed afterwards and were compared again. */
export type CopiedStore = { readonly tables: readonly TableDigest[]; readonly changed: number }

/** Copies the store while it may be served, or continues an existing copy. */
export const copyBesideServing = ({ file, address, onMoved }: PlannedMove): Promise<CopiedStore> =>
  forPerson(async () => {
    const { exportOnline, withTarget, copyStore } = await load()
    return exportOnline({ file, timing }, source =>
      withTarget({ address, timing }, { id: source.id, now: Date.now() }, target =>
        copyStore({ source, target, onMoved }),
      ),
    )
  })

/** Copies the remaining changes, and makes the database the store; the file is not served afterwards. */
export const finishMove = ({ file, address, onMoved }: PlannedMove): Promise<CopiedStore> =>
  forPerson(async () => {
    const { exportOffline, withTarget, copyStore, copyLastChanges, makeStoreOfCopy } = await load()
    return exportOffline({ file, timing }, (source, lock) =>
      withTarget({ address, timing }, { id: source.id, now: Date.now() }, async target => {
        const move = { source, target, onMoved }
        const before = lock === null ? 0 : (await copyStore(move)).changed
        const last = lock === null ? 0 : await lock(() => copyLastChanges(move))
        return { tables: await makeStoreOfCopy(move), changed: before + last }
      }),
    )
  })

/** Cancels a move: ends the change log of the store. Returns whether there was one. */
export const abandonMove = (file: string): Promise<boolean> =>
  forPerson(async () => (await import('../store/offline/sqlite/moving-store.ts')).forgetMove({ file, timing }))
