// Keeps the cores from sleeping while something is measured.
import { spawn, spawnSync } from 'node:child_process'
import type { Cores } from './machine.ts'

/** Of idle priority: it runs only where nobody else would. `chrt` and `taskset` become the program that they start. */
const AT_IDLE = ['chrt', '--idle', '0'] as const

const canIdle = (): boolean => spawnSync(AT_IDLE[0], [...AT_IDLE.slice(1), 'true']).status === 0

const coresOf = (cores: Cores): readonly string[] => (cores === null ? [] : [...cores.servers.split(','), cores.load])

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
 * does next costs more. Who waits often, as for a database, would pay for that by each request, and not for his own work.
 */
export const keepAwake = (cores: Cores): Awake => {
  const spun = canIdle() ? coresOf(cores) : []
  const ends = spun.map(spinOn)
  return {
    fact: spun.length === 0 ? 'the cores may sleep' : `kept awake at idle priority: cores ${spun.join(', ')}`,
    end: () => ends.forEach(end => end()),
  }
}
