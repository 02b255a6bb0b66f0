// The port of signing keys: read in snapshots, changed by jobs.
import type { KeysSeen, SigningKeyRepository } from '../../ports/signing-keys.ts'
import type { Writer } from '../jobs.ts'
import type { Program } from '../statement-program.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { listKeys, readKey, readPublished, readSigningKeys, seenAt } from './signing-keys.ts'

const listPage = (after: number | null, limit: number) =>
  function* (snapshot: Snapshot): Program<KeysSeen> {
    return yield* seenAt(snapshot, yield* listKeys(after, limit))
  }

const showOne = (kid: string) =>
  function* (snapshot: Snapshot): Program<KeysSeen> {
    const key = yield* readKey(kid)
    return yield* seenAt(snapshot, key === undefined ? [] : [key])
  }

export const makeSigningKeyRegister = ({ read, readUntimed }: Reader, { call }: Writer): SigningKeyRepository => ({
  published: () => readUntimed(readPublished),
  createFirst: (key, act) => call('createFirstKey', { key, act }),
  sealed: () => readUntimed(readSigningKeys),
  list: (after, limit) => read(listPage(after, limit)),
  show: kid => read(showOne(kid)),
  createNext: (key, act) => call('createNextKey', { key, act }),
  import: (key, act) => call('importKey', { key, act }),
  rotate: (rotation, act) => call('rotateKey', { ...rotation, act }),
  retire: (retirement, act) => call('retireKey', { ...retirement, act }),
  compromise: (compromise, act) => call('compromiseKey', { ...compromise, act }),
})
