// The stages of the strangers drill, in their order.
import { BYTES, FLOODS } from './floods.ts'
import { RESETS } from './resets.ts'
import { SLOW } from './slow.ts'
import type { Strangers } from './stranger.ts'

export const STAGES: Readonly<Record<string, Strangers>> = { ...RESETS, ...BYTES, ...SLOW, ...FLOODS }

export const STAGE_NAMES: readonly string[] = Object.keys(STAGES)
