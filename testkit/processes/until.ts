// Waits for what another process does by itself, at a time of its own.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'

// A minute: a machine that others use may take long, and who waits for what never comes is named all the same.
const TRIES = 2400
const APART_MS = 25

/** Asks again until it is so; a test fails where it never is. */
export const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await isSo()) return
    await delay(APART_MS)
  }
  assert.fail(`Never: ${what}`)
}
