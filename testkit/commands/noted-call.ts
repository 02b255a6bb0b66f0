// In place of the program, for a line of shell: what the shell makes of the line, which is its words, its environment and its
// standard input. The command is then run with the others, by one process: a start for each takes most of what the lines take.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Variables } from './command-order.ts'

const NOTE_CALL = `#!/bin/sh
printf '%s\\0' "$@" > call
env -0 > environment
cat > input
`

/** Makes a `mintmark` in this folder that notes in the working folder how it was called, and prints nothing. */
export const makeNotingProgram = (folder: string): void => {
  mkdirSync(folder)
  writeFileSync(join(folder, 'mintmark'), NOTE_CALL, { mode: 0o755 })
}

export type NotedCall = { readonly args: readonly string[]; readonly variables: Variables; readonly input: string }

const textsIn = (noted: string): readonly string[] => noted.split('\0').slice(0, -1)

const pairOf = (text: string): readonly [string, string] => {
  const [name = ''] = text.split('=', 1)
  return [name, text.slice(name.length + 1)]
}

/** The call that was noted last, which is then forgotten. Throws where there is none. */
export const takeNotedCall = (folder: string): NotedCall => {
  const take = (name: string): string => {
    const noted = readFileSync(join(folder, name), 'utf8')
    rmSync(join(folder, name))
    return noted
  }
  return {
    args: textsIn(take('call')),
    variables: Object.fromEntries(textsIn(take('environment')).map(pairOf)),
    input: take('input'),
  }
}
