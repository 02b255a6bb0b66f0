// What a command does to a whole store that nobody serves, whichever store it is.
import { setTimeout as delay } from 'node:timers/promises'
import type { Act } from '../../server/src/domain/audit/act.ts'
import type { AuditVerdict } from '../../server/src/domain/audit/seal.ts'
import { TIMING } from '../../server/src/ports/timing.ts'
import type { AuditCheck } from '../../server/src/store/offline/verify-audit.ts'
import { reencryptDatabase, verifyDatabaseAudit } from '../../server/src/store/offline/postgres/act-alone.ts'
import type { Reencryption } from '../../server/src/store/offline/reencrypt.ts'
import { reencryptStore } from '../../server/src/store/offline/sqlite/act-alone.ts'
import { verifyAudit } from '../../server/src/store/offline/sqlite/verify-audit.ts'
import { SERVING } from '../../server/src/store/postgres/connection/connection.ts'
import { databaseOf, isDatabaseUrl } from '../databases/postgres-cluster.ts'
import { addressOf } from '../databases/postgres-store.ts'
import { countRows } from './store-file.ts'

const CONNECTED = `pg_stat_activity where datname = current_database() and application_name = '${SERVING}'`
const POLL_MS = 5

/** A connection that was closed is there until its process at the server has ended. */
export const untilLeft = async (file: string): Promise<void> => {
  while (isDatabaseUrl(file) && countRows(file, CONNECTED) > 0) await delay(POLL_MS)
}

/** Takes the store to another key-encryption key. */
export const reencryptTested = async (file: string, reencryption: Reencryption, act: Act) =>
  isDatabaseUrl(file)
    ? reencryptDatabase({ address: await addressOf(databaseOf(file)), timing: TIMING }, reencryption, act)
    : reencryptStore({ file, timing: TIMING, reencryption, act })

export const verifyTested = async (file: string, check: AuditCheck): Promise<AuditVerdict> =>
  isDatabaseUrl(file)
    ? verifyDatabaseAudit({ address: await addressOf(databaseOf(file)), timing: TIMING }, check)
    : verifyAudit({ file, timing: TIMING, ...check })
