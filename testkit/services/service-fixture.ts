// A service for all tests of a file, or of a suite: open before the first of them, closed after the last.
import { after, before as beforeTests } from 'node:test'
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
}

let earlier: Promise<void> = Promise.resolve()

/** As that of node:test, which at the top of a file starts all hooks at once: each of these begins after the one before it. */
export const before = (hook: () => Promise<void> | void): void =>
  beforeTests(() => {
    earlier = earlier.then(hook)
    return earlier
  })

/** Has its members only from the first test on. */
const makeBefore = <T extends object>(make: () => Promise<T>): T => {
  const made = {} as T
  before(async () => void Object.assign(made, await make()))
  return made
}

/** Call it where the tests are declared, not within one. Hooks of `before` above that are declared after it find the service open. */
export const useService = (options: TestServerOptions = {}): ServiceInUse => {
  const service = makeBefore(() => startServer(options))
  after(() => service.close())
  return Object.assign(service, {
    agent: (request?: AgentOfTestRequest) => makeBefore(() => service.createAgent(request)),
    apiKey: (permission: Permission, audiences?: readonly string[]) =>
      makeBefore(() => service.createApiKey(permission, audiences)),
  })
}
