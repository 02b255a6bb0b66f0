// The thread that takes the samples, so that nothing else happens on it.
import { parentPort, workerData } from 'node:worker_threads'
import { makeRandom } from '../random.ts'
import { type Sampling, takeSamples } from './sampler.ts'

const { sampling, seed } = workerData as { readonly sampling: Sampling; readonly seed: number }
parentPort?.postMessage(await takeSamples(sampling, makeRandom(seed)))
