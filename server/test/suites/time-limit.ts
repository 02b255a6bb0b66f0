// Ends a test file that does not end by itself, so that no run stands still: by a thread, for the file's own may be busy.
import { isMainThread, Worker } from 'node:worker_threads'

/** The longest file takes two minutes on two quiet cores. */
const FILE_SECONDS_MAX = 360

const END = `
  const { file, seconds } = require('node:worker_threads').workerData
  setTimeout(() => {
    require('node:fs').writeSync(2, file + ' did not end within ' + seconds + ' s.\\n')
    process.kill(process.pid, 'SIGKILL')
  }, 1000 * seconds)
`

// A process that a test forks would look for this file in its own folder.
const own = process.execArgv.findIndex(argument => argument.endsWith('time-limit.ts'))
if (own > 0) process.execArgv = process.execArgv.toSpliced(own - 1, 2)

// Node sets it for the process of each file.
if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) {
  const seconds = Number(process.env['TEST_FILE_SECONDS_MAX'] ?? FILE_SECONDS_MAX)
  new Worker(END, { eval: true, execArgv: [], workerData: { file: process.argv[1], seconds } }).unref()
}
