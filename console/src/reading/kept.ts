// One choice of the reader, kept in the browser from page to page.
import { useSyncExternalStore } from 'react'

export type Kept<Value extends string> = {
  readonly read: () => Value
  readonly set: (value: Value) => void
  readonly use: () => Value
}

/** The first of the values holds until the reader chooses, and in a browser that keeps nothing for us. */
export const keepChoice = <Value extends string>(name: string, values: readonly [Value, ...Value[]]): Kept<Value> => {
  const listeners = new Set<() => void>()
  const readKept = (): Value => {
    try {
      const kept = localStorage.getItem(name)
      return values.find(value => value === kept) ?? values[0]
    } catch {
      return values[0]
    }
  }
  let chosen = readKept()
  const set = (value: Value): void => {
    chosen = value
    try {
      localStorage.setItem(name, value)
    } catch {
      // It holds for this page.
    }
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const read = (): Value => chosen
  return { read, set, use: () => useSyncExternalStore(subscribe, read) }
}
