// Runs the program at a pseudo-terminal, which script(1) of util-linux makes, as a person who types there.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { GIVE_UP_MS, type Variables } from './command-order.ts'
import { environment, PROGRAM } from './run-mintmark.ts'

/** Why there is no pseudo-terminal on this machine; false where there is one. Another script(1) knows no `--return`. */
export const NO_TERMINAL: string | false =
  spawnSync('script', ['--quiet', '--return', '--command', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0
    ? false
    : 'script(1) of util-linux makes no pseudo-terminal here'

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Types a line once the question is there; the exit code, and all that the terminal showed. */
export const runAtTerminal = async (
  { folder, variables }: { readonly folder: string; readonly variables: Variables },
  args: readonly string[],
  question: string,
  typed: string,
): Promise<{ readonly status: number | null; readonly shown: string }> => {
  const line = [process.execPath, PROGRAM, ...args].map(quote).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd: folder,
    env: { ...environment(variables), TERM: 'dumb', SHELL: '/bin/sh' },
    timeout: GIVE_UP_MS,
  })
  let [shown, isTyped] = ['', false]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
    if (isTyped || !shown.includes(question)) return
    isTyped = true
    child.stdin.write(typed)
  })
  await once(child, 'close')
  return { status: child.exitCode, shown }
}
