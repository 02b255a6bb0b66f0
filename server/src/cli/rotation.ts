// What the commands that make and replace secrets have in common: until when a secret is taken, and how a rotation shows the new one.
import type { Command } from 'commander'
import { show, type Shown } from './administer.ts'
import { parseDuration } from './terminal/duration.ts'
import { isRecord, type PrintedRecord } from './terminal/print.ts'
import { readExpiry } from './terminal/time.ts'

export const addExpiry = (command: Command, secret: 'it' | 'the new one'): Command =>
  command.option(
    '--expires-in <time>',
    `when ${secret} stops being taken: so far ahead, such as 90d, or a day; without it never`,
    readExpiry,
  )

export type RotateOptions = { readonly grace: number; readonly expiresIn?: string }

export const addRotateOptions = (command: Command): Command =>
  addExpiry(
    command.requiredOption('--grace <duration>', 'how long the old one is still taken: 0 to 30d', parseDuration),
    'the new one',
  )

export const rotationOf = ({ grace, expiresIn }: RotateOptions) => ({ grace_seconds: grace, expires_at: expiresIn })

/** What a rotation made, and for people until when the old one is taken. */
export const showRotation = (made: PrintedRecord, replaces: unknown, kind: 'secret' | 'key'): Shown => {
  const until = isRecord(replaces) ? replaces['expires_at'] : null
  const { forPeople } = show({ ...made, old_one_expires_at: until }, `Keep the ${kind}: it is shown this once.`)
  return { json: made, forPeople }
}
