// A token as the command line shows it.
import { formatLife } from '../domain/format-token.ts'
import type { TokenLife } from '../domain/page.ts'
import { formatActor } from './format-actor.ts'
import { printJson, printRecord } from './print.ts'

export const printLife = (life: TokenLife, asJson: boolean): void => {
  const record = formatLife(life)
  if (asJson) return printJson(record)
  printRecord({ ...record, ended_by: formatActor(record.ended_by) })
}
