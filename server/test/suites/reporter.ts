// The report of `npm test`: Node's own, whose counts leave out a suite that fails by itself, in a hook or before its tests.
import { Readable } from 'node:stream'
import type { TestEvent } from 'node:test/reporters'
import { spec } from 'node:test/reporters'

const COUNT = /^(tests|fail) (\d+)$/

const failedAlone = ({ type, data }: TestEvent): boolean =>
  type === 'test:fail' &&
  data.details.type === 'suite' &&
  (data.details.error as Error & { readonly failureType?: string }).failureType !== 'subtestsFailed'

/** The events of a run, in whose counts such a suite is one that failed. */
export async function* countSuites(source: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  let failed = 0
  for await (const event of source) {
    if (failedAlone(event)) failed += 1
    const [, name, count] = event.type === 'test:diagnostic' ? (COUNT.exec(event.data.message) ?? []) : []
    if (event.type !== 'test:diagnostic' || name === undefined) yield event
    else yield { ...event, data: { ...event.data, message: `${name} ${Number(count) + failed}` } }
  }
}

// Node takes the default export, a generator.
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator {
  yield* Readable.from(countSuites(source)).compose(spec())
}
