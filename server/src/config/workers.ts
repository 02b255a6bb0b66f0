// The number of serving threads that this system supports.
import { availableParallelism } from 'node:os'
import type { SettingReader } from './reader.ts'
import { WORKERS_MAX } from './settings/service-settings.ts'

// Other systems cannot share a port (Node: ENOTSUP on macOS and Windows), so one thread serves.
export const CAN_SHARE_PORTS = process.platform === 'linux'

export const readWorkers = (read: SettingReader): number => {
  const workers = read.value('MINTMARK_WORKERS')
  if (workers === 'auto') return CAN_SHARE_PORTS ? Math.min(availableParallelism(), WORKERS_MAX) : 1
  if (workers > 1 && !CAN_SHARE_PORTS) {
    read.mistake(`MINTMARK_WORKERS is ${workers}; expected 1: on this system a port cannot be shared`)
  }
  return workers
}
