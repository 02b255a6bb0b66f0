// The port of signing keys: read in snapshots, changed by jobs of the writing thread.
import type { SigningKeyRegister } from '../../ports/signing-keys.ts'
import type { Reader } from '../sqlite/reader.ts'
import { listKeys, readKey, readPublished, readSigningKeys, seenAt } from './signing-keys.ts'
import type { Writer } from '../sqlite/writer-client.ts'

export const makeSigningKeyRegister = (reader: Reader, writer: Pick<Writer, 'call'>): SigningKeyRegister => ({
  published: async () => reader.readUntimed(({ sql }) => readPublished(sql)),
  createFirst: (key, act) => writer.call('createFirstKey', { key, act }),
  sealed: async () => reader.readUntimed(({ sql }) => readSigningKeys(sql)),
  list: (after, limit) => reader.read(snapshot => seenAt(snapshot, listKeys(snapshot.sql, after, limit))),
  show: kid =>
    reader.read(snapshot => {
      const key = readKey(snapshot.sql, kid)
      return seenAt(snapshot, key === undefined ? [] : [key])
    }),
  createNext: (key, act) => writer.call('createNextKey', { key, act }),
  import: (key, act) => writer.call('importKey', { key, act }),
  rotate: (rotation, act) => writer.call('rotateKey', { ...rotation, act }),
  retire: (retirement, act) => writer.call('retireKey', { ...retirement, act }),
  compromise: (compromise, act) => writer.call('compromiseKey', { ...compromise, act }),
})
