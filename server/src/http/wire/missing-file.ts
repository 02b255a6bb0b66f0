// A file of the program that is loaded late, and is gone since the start: as where the folder that the executable unpacked is cleaned.

const FOLDER = '/node_modules/'

/** The codes of faults that name such a file, or a package, in quotes. */
const CODES = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ENOENT']

/** What a caller learns of a fault; undefined where it is another. Where packages stand is not for callers; the log has it. */
export const describeMissingFile = (fault: unknown): string | undefined => {
  if (!(fault instanceof Error && 'code' in fault && CODES.includes(String(fault.code)))) return undefined
  const [, named = ''] = fault.message.split("'")
  const parts = named.split(FOLDER)
  const isPackage = fault.code !== 'ENOENT' && named !== '' && !named.startsWith('/')
  return parts.length > 1 || isPackage
    ? `A file of the program is missing: ${parts.at(-1)}. Start the service again, or install it again.`
    : undefined
}
