// A process that runs one command after another, as main.ts runs one: what a command costs is then not mostly the start of a
// process. Each has its own folder, environment and streams; none of them is a terminal.
import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../server/src/cli/program.ts'
import type { Task } from './command-order.ts'

const swap = (name: 'stdin' | 'stdout' | 'stderr', stream: Readable | Writable): void =>
  void Object.defineProperty(process, name, { value: stream, configurable: true })

const collect = () => {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}

const perform = async ({ folder, args, variables, input }: Task): Promise<void> => {
  const [stdout, stderr] = [collect(), collect()]
  process.chdir(folder)
  process.env = { ...variables }
  swap('stdin', Readable.from([Buffer.from(input)]))
  swap('stdout', stdout.stream)
  swap('stderr', stderr.stream)
  const exitCode = await runCommand(args)
  // As runProcess has it: what a command set stays where it did not fail.
  const status = exitCode === 0 ? Number(process.exitCode ?? 0) : exitCode
  process.exitCode = undefined
  process.send?.({ status, stdout: stdout.text(), stderr: stderr.text() })
}

// A fault ends the process, and with it the command, which then has no exit code.
process.on('message', (task: Task) => void perform(task))
