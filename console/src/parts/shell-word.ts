// A word of a command line, to copy: what a client is called must not become a command of its own.

/** Quotes an argument for a shell; one of plain characters stays as it is. */
export const shellWord = (argument: string): string =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`
