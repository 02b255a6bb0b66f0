// The address of the console: which screen, and what it shows. Everything that a colleague should see who is sent the address is in it.
import { useSyncExternalStore } from 'react'

/** An address in the console. `path` has no slash at either end: `tokens`. */
export type Address = { readonly path: string; readonly query: URLSearchParams }

/** Returns the base URL of the console, which the service writes into the page. */
const base = (): URL => new URL(document.baseURI)

/** Removes the slashes at the end of a path. */
const withoutSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const read = (): Address => {
  const { pathname, search } = window.location
  const path = withoutSlashes(pathname.slice(base().pathname.length))
  return { path: decodeURI(path), query: new URLSearchParams(search) }
}

export const addressOf = (path: string, query: URLSearchParams = new URLSearchParams()): string => {
  const text = query.toString()
  return `${base().pathname}${encodeURI(path)}${text === '' ? '' : `?${text}`}`
}

let kept: { readonly href: string; readonly address: Address } | undefined
const listeners = new Set<() => void>()

export const current = (): Address => {
  const { href } = window.location
  if (kept?.href !== href) kept = { href, address: read() }
  return kept.address
}

const notify = (): void => {
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  window.addEventListener('popstate', notify)
  return () => listeners.delete(listener)
}

export const useAddress = (): Address => useSyncExternalStore(subscribe, current)

/** Goes to an address of the console. `replace` leaves no way back to this one. */
export const go = (address: string, how: 'push' | 'replace' = 'push'): void => {
  window.history[how === 'push' ? 'pushState' : 'replaceState'](null, '', address)
  notify()
}

/** Returns the address of this screen with one member of its query changed; null removes it. */
export const changeQuery = (name: string, value: string | null, how: 'push' | 'replace' = 'push'): void => {
  const { path, query } = current()
  const changed = new URLSearchParams(query)
  if (value === null) changed.delete(name)
  else changed.set(name, value)
  go(addressOf(path, changed), how)
}
