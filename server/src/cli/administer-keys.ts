// Runs an operation on signing keys against the configured store, as the user at the terminal.
import { type KeyRegisters, openKeyRegisters } from '../compose.ts'
import { readKeysConfig } from '../config.ts'
import type { CliCaller, Origin } from '../domain/caller.ts'
import { type ChangedKey, keyChangeRecord, keyRecord, type ShownKey } from '../domain/key-record.ts'
import { isRefused, type OrRefusal } from '../domain/refusal.ts'
import { cliOrigin } from './administer.ts'
import { CommandRefused } from './exit.ts'
import { printJson, printLine, printRecord } from './print.ts'

export const administerKeys = async <T extends object>(
  operate: (registers: KeyRegisters, origin: Origin<CliCaller>) => Promise<OrRefusal<T>>,
): Promise<T> => {
  const registers = await openKeyRegisters(readKeysConfig())
  try {
    const answer = await operate(registers, cliOrigin())
    if (isRefused(answer)) throw new CommandRefused(answer.refusal)
    return answer
  } finally {
    await registers.close()
  }
}

const cellsOf = <
  T extends { readonly public_jwk: object; readonly imported: boolean; readonly rotation_requested: boolean },
>({
  public_jwk: _jwk,
  imported,
  rotation_requested,
  ...cells
}: T) => ({ ...cells, imported: String(imported), rotation_requested: String(rotation_requested) })

export const printKey = (shown: ShownKey, asJson: boolean): void =>
  asJson ? printJson(keyRecord(shown)) : printRecord(cellsOf(keyRecord(shown)))

export const printKeyChange = (changed: ChangedKey, asJson: boolean): void => {
  const record = keyChangeRecord(changed)
  if (asJson) return printJson(record)
  const { warning, ...rest } = record
  printRecord(cellsOf(rest))
  if (warning !== null) printLine(warning)
}

/** Keys as a table. */
export const keyCells = (shown: ShownKey) => cellsOf(keyRecord(shown))
