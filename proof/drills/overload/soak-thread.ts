// The thread of the soak drill's load: it reports when it is asked.
import { parentPort, workerData } from 'node:worker_threads'
import { type SoakOptions, startSoakLoad } from './soak-load.ts'

const load = startSoakLoad(workerData as SoakOptions)
parentPort?.on('message', () => parentPort?.postMessage(load.report()))
