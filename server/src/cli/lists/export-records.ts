// In this folder: how commands list and export records: paging, filters, output files; and the small commands that only list.
// What all exports do at the terminal: the stream of an answer to standard output, or to where the user says.
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { defineAdminCommand } from '../administer.ts'
import type { Operation } from '../../../../api/operation.ts'
import { EXPORT_FORMATS } from '../../../../api/exports.ts'
import { writeOutput } from '../../files/write-output.ts'
import type { Timing } from '../../ports/timing.ts'
import type { Api, Query } from '../remote/api.ts'
import { addFilters } from './list-options.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'
import { type OptionRows, queryOf } from '../terminal/option-rows.ts'
import { isOutputFault } from '../terminal/output-faults.ts'
import { printableLines } from '../../domain/text/text.ts'

/** Answers what people try on a list with the command that writes the whole of it: `words` of it. */
export const leadToExport = (list: Command, words: string): Command => {
  for (const flags of ['--csv', '--ndjson', '--format <format>', '--output <file>']) {
    const option = new Option(flags).hideHelp()
    list.addOption(option).on(`option:${option.name()}`, () => {
      throw new CommandFailed(
        `This prints a page. The whole list as a file: mintmark ${words} --format csv`,
        EXIT.usage,
      )
    })
  }
  return list
}

type ExportOptions = { readonly format: string; readonly output?: string }

type Export = {
  readonly row: Operation
  readonly filters: OptionRows
  /** What they ask for, where that is not what was given. */
  readonly findFilters?: (options: ExportOptions, api: Api) => Promise<Query>
  readonly examples: readonly string[]
}

const NEWLINE = 10

type Progress = Pick<Timing, 'progressMs'>

/** Passes the chunks on and prints for a person, on standard error, how many lines there were. */
async function* countingLines(chunks: AsyncIterable<Uint8Array>, { progressMs }: Progress) {
  let [lines, reportedAt] = [0, Date.now()]
  const report = (end: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r${lines.toLocaleString('en-US')} lines so far${end}`)
  }
  for await (const chunk of chunks) {
    for (const byte of chunk) if (byte === NEWLINE) lines += 1
    yield chunk
    if (Date.now() - reportedAt < progressMs) continue
    reportedAt = Date.now()
    report('')
  }
  report('\n')
}

/** For a terminal: without anything that it would obey. */
async function* readable(chunks: AsyncIterable<Uint8Array>) {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    yield printableLines(decoder.decode(chunk, { stream: true }).replaceAll('\r\n', '\n'))
  }
}

const print = async (chunks: AsyncIterable<Uint8Array>, timing: Progress): Promise<void> => {
  const output: Writable = process.stdout
  try {
    await pipeline(process.stdout.isTTY ? readable(chunks) : countingLines(chunks, timing), output, { end: false })
  } catch (fault) {
    // A fault of the output is reported where the output is watched, unless its reader just went away.
    if (!isOutputFault(fault)) throw fault
  }
}

/** Completes a command that exports. */
export const exports = (command: Command, { row, filters, findFilters, examples }: Export): void => {
  const format = new Option('--format <format>', 'lines of JSON, or a table for a spreadsheet with formulas defused')
  addFilters(command, filters)
    .addOption(format.choices(EXPORT_FORMATS).default(EXPORT_FORMATS[0]))
    .option('--output <file>', 'write to this file, which is there only once it is whole, or to a pipe or a device')
  defineAdminCommand<ExportOptions>(command, {
    examples,
    run: async ({ api, timing, options }) => {
      const asked = (await findFilters?.(options, api)) ?? queryOf(options, filters)
      const read = () => api.stream(row, { query: { ...asked, format: options.format } })
      if (options.output === undefined) await print(await read(), timing)
      else await writeOutput(options.output, async into => pipeline(countingLines(await read(), timing), into))
      return null
    },
  })
}
