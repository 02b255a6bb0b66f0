// A word of a command line, to copy: what a client is called must not become a command of its own.

/** For a shell: an argument of plain characters stands as it is. */
export const shellWord = (argument: string): string =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`
