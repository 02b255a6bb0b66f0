// What operators do during a soak, each thing at its own pace, one at a time.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mintmark } from '../service-under-drill.ts'
import type { World } from '../strangers/world.ts'
import { change, read } from './administer.ts'

export type SoakWorld = {
  readonly world: World
  /** The agent that all this is done to. */
  readonly agentId: string
  /** The folder in which backups are written, and removed. */
  readonly folder: string
}

type Action = {
  readonly name: string
  readonly everySeconds: number
  readonly perform: (soak: SoakWorld) => Promise<unknown>
}

const disableAndEnable = async ({ world, agentId }: SoakWorld): Promise<void> => {
  await change(world, `/api/v1/agents/${agentId}/disable`, { note: 'soak' })
  await change(world, `/api/v1/agents/${agentId}/enable`, { note: 'soak' })
}

const rotateCredential = async ({ world, agentId }: SoakWorld): Promise<void> => {
  const path = `/api/v1/agents/${agentId}/credentials`
  const made = await change(world, path, { name: `soak ${randomUUID()}` })
  await change(world, `${path}/${made['credential_id']}/revoke`, { note: 'soak' })
}

const backUp = async ({ world, folder }: SoakWorld): Promise<void> => {
  const file = join(folder, `backup-${randomUUID()}.db`)
  await mintmark(world.variables, ['backup', file])
  rmSync(file)
}

const isEmbedded = ({ world }: SoakWorld): boolean => world.name === 'sqlite'

const ACTIONS: readonly Action[] = [
  { name: 'disable', everySeconds: 20, perform: disableAndEnable },
  {
    name: 'revocation of many',
    everySeconds: 30,
    perform: ({ world, agentId }) =>
      change(world, '/api/v1/revocations', { id: randomUUID(), agent_id: agentId, note: 'soak' }),
  },
  { name: 'credential', everySeconds: 45, perform: rotateCredential },
  { name: 'export', everySeconds: 60, perform: ({ world }) => read(world, '/api/v1/exports/tokens') },
  {
    name: 'key',
    everySeconds: 120,
    perform: ({ world }) => change(world, '/api/v1/keys/rotate', { force: true, note: 'soak' }),
  },
  { name: 'backup', everySeconds: 150, perform: soak => (isEmbedded(soak) ? backUp(soak) : Promise.resolve()) },
]

export type RunningActions = {
  /** How many of each were done, and what failed, since it was last asked. */
  readonly report: () => { readonly done: number; readonly failures: readonly string[] }
  readonly stop: () => Promise<void>
}

/** Does each thing again and again, `hastened` times as often, until it is stopped. */
export const startActions = (soak: SoakWorld, hastened: number): RunningActions => {
  const over = new AbortController()
  let done = 0
  let failures: string[] = []
  const run = async ({ name, everySeconds, perform }: Action): Promise<void> => {
    for (;;) {
      await delay((1000 * everySeconds) / hastened, undefined, { signal: over.signal }).catch(() => undefined)
      if (over.signal.aborted) return
      try {
        await perform(soak)
        done += 1
      } catch (fault) {
        failures.push(`${name}: ${fault instanceof Error ? fault.message : String(fault)}`)
      }
    }
  }
  const running = Promise.all(ACTIONS.map(run))
  return {
    report: () => {
      const reported = { done, failures }
      done = 0
      failures = []
      return reported
    },
    stop: async () => {
      over.abort()
      await running
    },
  }
}
