// What an operator does over HTTP while a drill runs.
import type { World } from '../strangers/world.ts'

type Fields = Readonly<Record<string, string>>

type Administrator = Pick<World, 'adminJwt'> & { readonly access: { readonly port: number } }

const request = async ({ access, adminJwt }: Administrator, path: string, body?: object): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${access.port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${adminJwt}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} was answered ${response.status} ${text.slice(0, 200)}`)
  return text
}

/** Sends a POST, and gives the members of the answer. */
export const change = async (world: Administrator, path: string, body: object): Promise<Fields> => {
  const text = await request(world, path, body)
  return (text === '' ? {} : JSON.parse(text)) as Fields
}

/** Reads the whole of it, and gives its length. */
export const read = async (world: Administrator, path: string): Promise<number> => (await request(world, path)).length
