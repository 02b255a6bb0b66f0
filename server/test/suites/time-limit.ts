// Ends a test file that does not end by itself, so that no run stands still: by a thread, for the file's own may be busy.
// Before that it prints where the file is and what keeps it, by which the cause can be found.
import { isMainThread, Worker } from 'node:worker_threads'

/** The longest file takes two minutes on two quiet cores, and more than six beside three others that keep both busy. */
const FILE_SECONDS_MAX = 900
/** Inspecting the file may itself take no longer. */
const INSPECTION_SECONDS_MAX = 3

// Plain JavaScript in a string: the thread loads nothing that could keep it waiting.
const END = `
  const { writeSync } = require('node:fs')
  const { Session } = require('node:inspector')
  const { file, seconds, inspectionSeconds } = require('node:worker_threads').workerData
  const report = text => writeSync(2, text + '\\n')
  const kill = () => process.kill(process.pid, 'SIGKILL')
  const KEPT = 'process.getActiveResourcesInfo().join(", ")'
  const inspect = () => {
    const session = new Session()
    session.connectToMainThread()
    session.on('Debugger.paused', ({ params }) => {
      report('It was at:')
      for (const { functionName, url, location } of params.callFrames) {
        report('  ' + (functionName || '(anonymous)') + ' ' + url + ':' + (location.lineNumber + 1))
      }
      session.post('Debugger.evaluateOnCallFrame', { callFrameId: params.callFrames[0].callFrameId, expression: KEPT }, (_, answer) => {
        report('It was kept by: ' + (answer?.result.value || 'nothing but what it computes'))
        kill()
      })
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
    // Code that is idle is paused only once it runs.
    session.post('Runtime.evaluate', { expression: KEPT })
  }
  setTimeout(() => {
    report(file + ' did not end within ' + seconds + ' s.')
    setTimeout(kill, 1000 * inspectionSeconds)
    inspect()
  }, 1000 * seconds)
`

// Node sets it for the process of each file.
if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) {
  const seconds = Number(process.env['TEST_FILE_SECONDS_MAX'] ?? FILE_SECONDS_MAX)
  const limits = { file: process.argv[1], seconds, inspectionSeconds: INSPECTION_SECONDS_MAX }
  new Worker(END, { eval: true, execArgv: [], workerData: limits }).unref()
}
