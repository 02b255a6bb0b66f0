// Where the files beside a store are: beside the file itself, where SQLite has its own, and not beside a link to it.
import { existsSync, realpathSync } from 'node:fs'

type Ending = '' | '-wal' | '-shm' | '-serving' | '-moving'

/** Returns the path of a file beside the store; a link to the store counts as the store itself. */
export const besideStore = (file: string, ending: Ending): string =>
  `${existsSync(file) ? realpathSync(file) : file}${ending}`
