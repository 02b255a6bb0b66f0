// Where the process listens: a host and a port, or a unix socket.

export type ListenAddress = { readonly host: string; readonly port: number } | { readonly path: string }

const UNIX = /^unix:(\/.+)$/
const HOST_AND_PORT = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i
const PORT_MAX = 65_535
/** `sun_path` of Linux, without its NUL. */
const PATH_BYTES_MAX = 107

/** `HOST:PORT`, `[IPv6]:PORT` or `unix:/PATH`; undefined for anything else. */
export const parseListenAddress = (text: string): ListenAddress | undefined => {
  const [, path] = UNIX.exec(text) ?? []
  if (path !== undefined) return new TextEncoder().encode(path).length <= PATH_BYTES_MAX ? { path } : undefined
  const [, inBrackets, name, port] = HOST_AND_PORT.exec(text) ?? []
  const host = inBrackets ?? name
  return host === undefined || Number(port) > PORT_MAX ? undefined : { host, port: Number(port) }
}

export const formatListenAddress = (address: ListenAddress): string => {
  if ('path' in address) return `unix:${address.path}`
  return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`
}
