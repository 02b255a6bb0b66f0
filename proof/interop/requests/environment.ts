// What a suite finds in its environment; service.ts says what each is.
import { join } from 'node:path'

export const variable = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: run \`npm run proof interop\`.`)
  return value
}

export const ISSUER = variable('ISSUER')
export const ORDERS = 'https://orders.example/v1'
export const BUILD = variable('BUILD')
export const DEBIAN = join(BUILD, 'debian/root')

export type Client = { readonly client_id: string; readonly client_secret: string }

/** Returns the agent of these variables: '' the usual one, `ORDERS_` the one that exchanges, `BOUND_` the one with a certificate. */
export const clientOf = (prefix: '' | 'ORDERS_' | 'BOUND_'): Client => ({
  client_id: variable(`${prefix}CLIENT_ID`),
  client_secret: variable(`${prefix}CLIENT_SECRET`),
})
