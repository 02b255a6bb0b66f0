// Limits how many requests of one kind are under way, so that a flood of them is refused at once and leaves room for others.
import type { Administrator } from '../domain/caller.ts'
import { type OrRefusal, refuse, type WorkLimit } from '../domain/refusal.ts'
import { makeShares, type Permit } from '../domain/shares.ts'

/**
 * Has room for at most `permitsMax`, which is asked each time; any further request is refused. `onFull` is called for the
 * first of them, and not again before all permits have been released.
 */
const makeConcurrencyLimit = (
  permitsMax: () => number,
  limit: WorkLimit,
  onFull: (taken: number) => void,
): (() => OrRefusal<Permit>) => {
  let taken = 0
  let reported = false
  const release = (): void => {
    taken -= 1
    if (taken === 0) reported = false
  }
  return () => {
    if (taken >= permitsMax()) {
      if (!reported) onFull(taken)
      reported = true
      return refuse(
        'temporarily_unavailable',
        'More requests of this kind are waiting than are taken: try again.',
        limit,
      )
    }
    taken += 1
    return { release }
  }
}

/** Lets at most `requestsMax` token requests be under way in `serve`; any further one is refused before anything is done for it. */
export const withPermit = <Request, Answer extends object>(
  serve: (request: Request) => Promise<OrRefusal<Answer>>,
  requestsMax: () => number,
  onFull: (underWay: number) => void,
): ((request: Request) => Promise<OrRefusal<Answer>>) => {
  const enter = makeConcurrencyLimit(requestsMax, 'token_requests', onFull)
  return async request => {
    const permit = enter()
    if ('refusal' in permit) return permit
    try {
      return await serve(request)
    } finally {
      permit.release()
    }
  }
}

type SharedBounds = {
  readonly permitsMax: number
  /** So many of them one caller may have at a time. */
  readonly ofOneMax: number
  /** So many of them API keys leave to operators. */
  readonly reserved: number
}

const OF_ONE_FULL = 'This caller has as many requests of this kind under way as one may have: wait until one has ended.'

/** The API key, or the person. */
const nameOfCaller = (caller: Administrator): string => {
  if (caller.kind === 'api_key') return caller.id
  return caller.kind === 'operator' ? `${caller.iss} ${caller.sub}` : caller.kind
}

/** The same for the exports of administrators, who share the permits: no caller can take all, and API keys cannot take those of operators. */
export const makeSharedLimit = (
  { permitsMax, ofOneMax, reserved }: SharedBounds,
  onFull: () => void,
): ((caller: Administrator) => OrRefusal<Permit>) => {
  const enter = makeConcurrencyLimit(() => permitsMax, 'exports', onFull)
  const enterWithKey = makeConcurrencyLimit(() => permitsMax - reserved, 'exports', onFull)
  const underWay = makeShares()
  return caller => {
    const name = nameOfCaller(caller)
    if (underWay.of(name) >= ofOneMax) return refuse('temporarily_unavailable', OF_ONE_FULL, 'exports')
    const withKey = caller.kind === 'api_key' ? enterWithKey() : undefined
    if (withKey !== undefined && 'refusal' in withKey) return withKey
    const permit = enter()
    if ('refusal' in permit) {
      withKey?.release()
      return permit
    }
    const own = underWay.take(name)
    return {
      release: () => {
        own.release()
        withKey?.release()
        permit.release()
      },
    }
  }
}
