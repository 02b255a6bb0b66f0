// The reason why a command does not start, in one line for its user: what is wrong, and what to do.

/** Not a program error: the command line prints the message and exits with 1. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

type ListenAddress = { readonly host: string; readonly port: number; readonly variable: string }

const listenAdvice: Readonly<Record<string, (address: ListenAddress) => string>> = {
  EADDRINUSE: ({ host, port, variable }) =>
    `Port ${port} on ${host} is taken; stop the program that uses it (another mintmark, perhaps) or set ${variable}.`,
  EACCES: ({ port, variable }) => `Port ${port} needs more rights than this user has; set ${variable} to 1024 or more.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is no address of this machine; set HOST to one, or to 0.0.0.0 for all.`,
  ENOTFOUND: ({ host }) => `The name ${host} has no address; set HOST to an address of this machine.`,
}

/** Converts a failure to listen into a StartRefused; returns any other failure unchanged. */
export const refuseListening = (error: unknown, address: ListenAddress): unknown => {
  const advice = listenAdvice[systemCode(error) ?? '']
  return advice === undefined ? error : new StartRefused(advice(address), { cause: error })
}

// The last three: of a file system that takes no folders, such as /proc, and of a path that no file system takes.
const FOLDER_CODES = 'EACCES EPERM EROFS ENOTDIR EEXIST ENOSPC EISDIR ENOENT ENAMETOOLONG ELOOP'.split(' ')

/** Converts a failure to create or write a folder into a StartRefused; returns any other failure unchanged. */
export const refuseFolder = (error: unknown, path: string): unknown => {
  const code = systemCode(error)
  if (code === undefined || !FOLDER_CODES.includes(code)) return error
  const advice = 'make it a folder that this user may write, or set MINTMARK_DATA_DIR'
  return new StartRefused(`The data folder ${path} cannot be written (${code}); ${advice}.`, { cause: error })
}
