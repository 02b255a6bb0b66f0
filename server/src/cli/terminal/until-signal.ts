// Work of many requests that a signal stops between two of them.
import { ENDING_SIGNALS } from '../../files/unfinished.ts'
import { printRemark } from './print.ts'

/** Does work that asks between its steps whether it is to stop. The first signal asks for that, and a second one ends the process. */
export const untilSignal = async <T>(work: (isToStop: () => boolean) => Promise<T>): Promise<T> => {
  let isToStop = false
  const release = (): void => {
    for (const signal of ENDING_SIGNALS) process.off(signal, stop)
  }
  const stop = (): void => {
    isToStop = true
    release()
    printRemark('It stops after the request that is under way, whose answer would be lost; another signal ends it now.')
  }
  for (const signal of ENDING_SIGNALS) process.on(signal, stop)
  try {
    return await work(() => isToStop)
  } finally {
    release()
  }
}
