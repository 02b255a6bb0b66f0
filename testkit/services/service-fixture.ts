// A service for all tests of a file, or of a suite: open before the first of them, closed after the last.
import { after, before } from 'node:test'
import type { Permission } from '../../api/values/access.ts'
import {
  type AgentOfTest,
  type AgentOfTestRequest,
  startServer,
  type TestServer,
  type TestServerOptions,
} from './test-server.ts'

export type ApiKeyOfTest = { readonly id: string; readonly key: string }

export type ServiceInUse = TestServer & {
  /** An agent that is there before the first test, as `createAgent` makes it. */
  readonly agent: (request?: AgentOfTestRequest) => AgentOfTest
  /** An API key that is there before the first test. */
  readonly apiKey: (permission: Permission, audiences?: readonly string[]) => ApiKeyOfTest
  /** A hook that finds the service open, and done what was declared before it. */
  readonly before: (work: () => Promise<unknown>) => void
}

/** Hooks of a file, unlike those of a suite, are run by Node at the same time: these run one after another. */
const makeHooks = () => {
  let last = (): Promise<unknown> => Promise.resolve()
  return (work: () => Promise<unknown>): void => {
    const earlier = last
    let done: Promise<unknown> | undefined
    last = () => (done ??= earlier().then(work))
    before(last)
  }
}

/** Call it where the tests are declared, not within one. What it returns has its members from the first test on. */
export const useService = (options: TestServerOptions = {}): ServiceInUse => {
  const inTurn = makeHooks()
  const make = <T extends object>(start: () => Promise<T>): T => {
    const made = {} as T
    inTurn(async () => Object.assign(made, await start()))
    return made
  }
  const service = make(() => startServer(options))
  after(() => service.close())
  return Object.assign(service, {
    agent: (request?: AgentOfTestRequest) => make(() => service.createAgent(request)),
    apiKey: (permission: Permission, audiences?: readonly string[]) =>
      make(() => service.createApiKey(permission, audiences)),
    before: inTurn,
  })
}
