// Randomness from the operating system's generator.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Randomness } from '../ports/ports.ts'

export const randomness: Randomness = {
  bytes: count => randomBytes(count),
  uuid: () => randomUUID(),
}
