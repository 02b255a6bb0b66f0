// Whether the service can serve, and each check that it makes of itself: `GET /readyz?verbose`, which anyone may read.
import type { z } from 'zod'
import type { components } from '../../../api/status.ts'
import { baseUrl } from './service.ts'

export type Component = NonNullable<z.input<typeof components>>[number]

export type Health = { readonly isReady: boolean; readonly components: readonly Component[] }

/** `ignored` and `believed` are of this request, and no fault. */
const FINE: readonly string[] = ['ok', 'believed', 'ignored']

export const isFine = ({ status }: Component): boolean => FINE.includes(status)

export const nameOf = (component: Component): string => {
  if (component.name === 'check') return component.check.replaceAll('_', ' ')
  return component.name === 'identity_provider' ? component.issuer : component.name.replaceAll('_', ' ')
}

/** 503 is an answer: it says why the service cannot serve. */
export const readHealth = async (signal: AbortSignal): Promise<Health> => {
  const response = await fetch(`${baseUrl}/readyz?verbose`, { signal, cache: 'no-store' })
  if (response.status !== 200 && response.status !== 503)
    throw new Error(`The service answers ${response.status} when it is asked whether it can serve.`)
  const answer = (await response.json()) as { readonly components?: readonly Component[] } // as api/status.ts says
  return { isReady: response.status === 200, components: answer.components ?? [] }
}
