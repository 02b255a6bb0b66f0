// Ends who follows the feed with an API key that was revoked, has expired or lost its permission.
import { findFollowing } from '../../../operations/feed/authenticate-followers.ts'
import type { InTime } from '../../../ports/deadline.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Follower } from './follower.ts'

type Checking = {
  readonly ports: Pick<Ports, 'apiKeys'>
  readonly inTime: InTime
  readonly followers: ReadonlySet<Follower>
  /** Must not throw. */
  readonly onFault: (fault: unknown) => void
}

/** Returns a function that looks at the key of each follower, once where many have one, and never twice at a time. */
export const makeKeyCheck = ({ ports, inTime, followers, onFault }: Checking): (() => void) => {
  let isChecking = false

  const check = async (): Promise<void> => {
    // The key of a follower that comes meanwhile was checked a moment ago.
    const asked = [...followers]
    const permitted = await inTime(findFollowing(ports, [...new Set(asked.map(({ keyHash }) => keyHash))]))
    for (const follower of asked) if (!permitted.has(follower.keyHash)) follower.end('not_permitted')
  }

  return () => {
    if (isChecking || followers.size === 0) return
    isChecking = true
    void check()
      .catch(onFault)
      .finally(() => {
        isChecking = false
      })
  }
}
