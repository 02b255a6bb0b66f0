// Where what is built besides the program stands: beside `src`, and beside `dist` where the program itself is built.
import { fileURLToPath } from 'node:url'

/** One place and no search: further up are the folders of others. */
const BESIDE = import.meta.url.endsWith('.ts') ? '../../' : '../'

/** A folder of that name, which need not be there. */
export const folderBeside = (name: string): string => fileURLToPath(new URL(BESIDE + name, import.meta.url))
