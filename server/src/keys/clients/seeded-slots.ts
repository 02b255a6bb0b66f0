// Maps texts to slots of a table of constant size. The seed is random, so nobody can choose texts that share a slot.
import { createHmac } from 'node:crypto'

/** The length to which a text is cut: what follows makes no difference. */
const CHARACTERS_MAX = 512

const SLOT_BYTES = 4

/** Returns the slots of a text, `count` of them and independent of one another, each from 0 to `slots` - 1. */
export const makeSlots =
  (seed: Uint8Array, slots: number) =>
  (text: string, count = 1): readonly number[] => {
    const digest = createHmac('sha256', seed).update(text.slice(0, CHARACTERS_MAX)).digest()
    return Array.from({ length: count }, (_, n) => digest.readUInt32BE(n * SLOT_BYTES) % slots)
  }
