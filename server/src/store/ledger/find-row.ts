// The row of a token whose id alone is known.
import { ENDED_COLUMNS, type EndedRow } from '../lists/ended-streams.ts'
import { bytesOfId } from '../rows.ts'
import type { Seen } from '../snapshot.ts'
import { first, type Program } from '../statement-program.ts'
import { readLifetimes } from './scan-affected-rows.ts'
import { TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'

const ENDED = `select ${ENDED_COLUMNS} from ended where id = ? and at between ? and ?`
const LIVE = `select ${TOKEN_COLUMNS} from token where life = ? and id = ?`

/** The row of a token, live or ended; undefined where nothing is left of it. */
export function* findRow(
  { endedBetween }: Pick<Seen, 'endedBetween'>,
  tokenId: string,
): Program<TokenRow | EndedRow | undefined> {
  // An id does not contain the lifetime, and with it the key of the row: each of the few in use is tried.
  for (const life of yield* readLifetimes()) {
    const row = yield* first<TokenRow>(LIVE, life, bytesOfId(tokenId))
    if (row !== undefined) return row
  }
  return yield* first<EndedRow>(ENDED, bytesOfId(tokenId), ...endedBetween(tokenId))
}
