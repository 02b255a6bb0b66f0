// A credential as the command line prints it.
import type { CountedCredential } from '../domain/credential.ts'
import { credentialRecord } from '../domain/credential-record.ts'
import { printJson, printRecord } from './print.ts'

/** In cells: what it trusts stands in its JSON only, and a count that is not exact ends with a plus. */
export const credentialCells = (credential: CountedCredential) => {
  const { count, isExact } = credential.liveTokens
  const { private_key_jwt: _keys, workload_identity: _workload, ...cells } = credentialRecord(credential)
  return { ...cells, live_tokens: isExact ? String(count) : `${count}+` }
}

export const printCredential = (credential: CountedCredential, asJson: boolean): void =>
  asJson ? printJson(credentialRecord(credential)) : printRecord(credentialCells(credential))
