// Keeps the cores of the servers from sleeping while something is measured.
import { spawn, spawnSync } from 'node:child_process'
import type { Cores } from './machine.ts'

/** The command that gives a program idle priority: it runs only where nothing else would. It becomes the program that it starts. */
const AT_IDLE = ['chrt', '--idle', '0'] as const

const canIdle = (): boolean => spawnSync(AT_IDLE[0], [...AT_IDLE.slice(1), 'true']).status === 0

const coresOf = (cores: Cores): readonly string[] => cores?.servers.split(',') ?? []

const spinOn = (core: string): (() => void) => {
  const [file, ...rest] = [...AT_IDLE, 'taskset', '-c', core, process.execPath, '-e', 'for (;;);'] as const
  const child = spawn(file, rest, { stdio: 'ignore' })
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  return () => {
    process.off('exit', end)
    end()
  }
}

export type Awake = { readonly fact: string; readonly end: () => void }

/**
 * A core of a virtual machine that sleeps is given back to the host, and when it wakes its caches are another's: whatever it
 * does next costs more. A program that waits often, as for a database, would pay for that by each request, and not for its own work.
 * The core of the load is left alone: there a standby is waited for by one process after another, and each would wait for
 * this one to give way.
 */
export const keepAwake = (cores: Cores): Awake => {
  const spun = canIdle() ? coresOf(cores) : []
  const ends = spun.map(spinOn)
  return {
    fact: spun.length === 0 ? 'no core is kept awake' : `kept awake at idle priority: core ${spun.join(', ')}`,
    end: () => ends.forEach(end => end()),
  }
}
