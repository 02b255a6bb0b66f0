// The ports of a store, over what each store has of its own: a reader, a writer, and what it does in its own way.
import type { Ports, StoreHealth } from '../ports/ports.ts'
import type { RestoreRepository } from '../ports/secret-repositories.ts'
import { makeAuditLog } from './audit/audit-log.ts'
import type { OnFault } from './background.ts'
import type { Writer } from './jobs.ts'
import type { Labels } from './ledger/name-caches.ts'
import { makeRevocationRegister } from './ledger/revocation-repository.ts'
import { type HotLedger, makeTokenLedger } from './ledger/token-ledger.ts'
import { makeAgentRegister } from './repositories/agent-repository.ts'
import { makeApiKeyRegister } from './repositories/api-key-repository.ts'
import { makeCredentialRegister, makeLeakedSecretRegister } from './repositories/credential-repository.ts'
import { makeImportRegister } from './repositories/import-repository.ts'
import { makeRestoreRegister } from './repositories/restore-repository.ts'
import { makeSigningKeyRegister } from './signing-keys/signing-key-repository.ts'
import type { Reader } from './snapshot.ts'

type Stored =
  | 'ledger'
  | 'revocations'
  | 'agents'
  | 'apiKeys'
  | 'credentials'
  | 'leakedSecrets'
  | 'imports'
  | 'signingKeys'
  | 'audit'
  | 'health'

export type StorePorts = Pick<Ports, Stored> & {
  readonly restores: RestoreRepository
  /** Hands over what was counted and not written yet. Never rejects. */
  readonly settle: () => Promise<void>
}

/** What a store does in its own way, and what it shares with the rest. */
type OwnPorts = {
  readonly hot: HotLedger
  readonly health: StoreHealth
  readonly labels: Labels
  readonly onFault: OnFault
}

export const makeStorePorts = (reader: Reader, writer: Writer, own: OwnPorts): StorePorts => {
  const { hot, health, labels, onFault } = own
  const audit = makeAuditLog(reader, writer, onFault)
  return {
    ledger: makeTokenLedger(reader, labels, writer, hot),
    revocations: makeRevocationRegister(reader, labels, writer),
    agents: makeAgentRegister(reader, writer),
    apiKeys: makeApiKeyRegister(reader, writer, onFault),
    credentials: makeCredentialRegister(reader, writer),
    leakedSecrets: makeLeakedSecretRegister(writer),
    imports: makeImportRegister(writer),
    signingKeys: makeSigningKeyRegister(reader, writer),
    restores: makeRestoreRegister(reader, writer),
    audit,
    health,
    settle: audit.settle,
  }
}
