// `npm run proof NAME -- OPTIONS` runs what proves or measures something of that name; without a name it lists them.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { PROOFS, type Proof } from './proofs.ts'

const list = (): string => {
  const width = Math.max(...Object.keys(PROOFS).map(name => name.length))
  return Object.entries(PROOFS)
    .map(([name, { shows }]) => `  ${name.padEnd(width)}  ${shows}`)
    .join('\n')
}

const run = ({ file, flags = [] }: Proof, args: readonly string[]): void => {
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, file), ...args], { stdio: 'inherit' })
  // A terminal sends its interrupt to both.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  })
}

const [name, ...args] = process.argv.slice(2)
const proof = name !== undefined && Object.hasOwn(PROOFS, name) ? PROOFS[name] : undefined
if (proof !== undefined) run(proof, args)
else {
  const why = name === undefined ? '' : `There is no proof named ${name}.\n`
  process.stderr.write(`${why}Usage: npm run proof NAME -- [--minutes N] [OPTIONS]\n${list()}\n`)
  process.exitCode = 2
}
