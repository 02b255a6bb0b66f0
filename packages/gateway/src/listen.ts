// Binds the address; a unix socket that a process left behind when it was killed is taken over.
import { once } from 'node:events'
import { lstatSync, unlinkSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { formatListenAddress, type ListenAddress } from './listen-address.ts'

const codeOf = (fault: unknown): string => (fault instanceof Error && 'code' in fault ? String(fault.code) : '')

const bind = async (server: Server, address: ListenAddress): Promise<void> => {
  server.listen(address)
  await once(server, 'listening')
}

/** Whether the path is a socket on which nobody listens. */
const isLeftBehind = async (path: string): Promise<boolean> => {
  if (!lstatSync(path).isSocket()) return false
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return false
  } catch (fault) {
    return codeOf(fault) === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}

/** The address in use, with the port that was got for port 0. Rejects with the error of the system. */
export const listen = async (server: Server, address: ListenAddress): Promise<string> => {
  try {
    await bind(server, address)
  } catch (fault) {
    const isTaken = 'path' in address && codeOf(fault) === 'EADDRINUSE' && (await isLeftBehind(address.path))
    if (!isTaken) throw fault
    unlinkSync(address.path)
    await bind(server, address)
  }
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) return formatListenAddress(address)
  return formatListenAddress({ host: bound.address, port: bound.port })
}
