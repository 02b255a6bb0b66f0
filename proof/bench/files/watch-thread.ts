// node --import this: a thread of a service counts which functions of ours run (V8 precise coverage), and writes it down when it is
// asked. It is asked by the file `round` in the folder FILES_FOLDER, and answers with a file of its own for that round.
import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

const LOOK_EVERY_MS = 20
/** A path of ours in a URL of a file: packages of others have the same folders inside. */
const OURS = /^file:(?!.*\/node_modules\/).*\/((?:server\/src|api|packages)\/.*)$/

type ScriptCoverage = {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
  }[]
}

/** Whether a function ran, beside the file itself, which runs as it is loaded. */
export const hasRun = ({ functions }: ScriptCoverage): boolean =>
  functions.some(
    ({ functionName, ranges: [whole] }) =>
      whole !== undefined && whole.count > 0 && (functionName !== '' || whole.startOffset > 0),
  )

/** The files of ours in which one did. */
export const filesThatRan = (scripts: readonly ScriptCoverage[]): readonly string[] =>
  scripts.filter(hasRun).flatMap(({ url }) => OURS.exec(url)?.[1] ?? [])

const readRound = (folder: string): string => {
  try {
    return readFileSync(join(folder, 'round'), 'utf8')
  } catch {
    return ''
  }
}

const watch = (folder: string): void => {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const write = (round: string): void =>
    // Counts begin anew with each answer. Posts of a session in its own thread are answered before they return.
    session.post('Profiler.takePreciseCoverage', (error, answer) => {
      const files = error === null ? filesThatRan(answer.result) : [`nothing: ${error.message}`]
      writeFileSync(join(folder, `${threadId}.${round}.json`), JSON.stringify(files))
    })
  let last = ''
  write('start')
  setInterval(() => {
    const round = readRound(folder)
    if (round === last) return
    last = round
    write(round)
  }, LOOK_EVERY_MS).unref()
}

const folder = process.env['FILES_FOLDER']
if (folder !== undefined) watch(folder)
