// In this folder: the threads of `mintmark serve`: the main thread starts and replaces serving threads, and reloads files for them.
// What the main thread sends to all serving threads while the service runs: findings of checks, and settings that were reloaded.
// A thread that starts later, or takes the place of another, starts with the latest.
import type { ServeConfig } from '../config/config.ts'
import type { CheckResult } from '../domain/checkup.ts'
import type { Reloaded, ToServingThread } from './thread-messages.ts'

type Post = (message: ToServingThread) => void

export type Notices = {
  /** The configuration with what was reloaded since the start. */
  readonly latest: (config: ServeConfig) => ServeConfig
  /** Posts what is published from now on, and the latest findings at once; returns the function that ends it. */
  readonly attach: (post: Post) => () => void
}

type Publishing = Notices & {
  readonly publishChecks: (checks: readonly CheckResult[]) => void
  readonly publishReloaded: (reloaded: Reloaded) => void
}

export const makeNotices = (): Publishing => {
  const posts = new Set<Post>()
  let checks: readonly CheckResult[] | undefined
  let reloaded: Reloaded = {}
  const publish = (message: ToServingThread): void => {
    for (const post of posts) post(message)
  }
  return {
    latest: config => ({ ...config, ...reloaded }),
    attach: post => {
      posts.add(post)
      if (checks !== undefined) post({ checks })
      return () => void posts.delete(post)
    },
    publishChecks: found => {
      checks = found
      publish({ checks: found })
    },
    publishReloaded: more => {
      reloaded = { ...reloaded, ...more }
      publish({ reloaded: more })
    },
  }
}
