// What may be asked of every new secret: a grace for the one that it replaces, a name, an expiry that is still to come.
import { GRACE_SECONDS_MAX } from '../../../../api/values/credentials.ts'
import { isName, NAME_FORM } from '../../../../api/values/name.ts'
import { refuse } from '../../domain/refusal.ts'

type Refused = ReturnType<typeof refuse>

const isGrace = (seconds: number): boolean => Number.isInteger(seconds) && seconds >= 0 && seconds <= GRACE_SECONDS_MAX

export const checkGrace = (seconds: number): Refused | undefined =>
  isGrace(seconds)
    ? undefined
    : refuse('invalid_request', `The grace is not a whole number of seconds from 0 to ${GRACE_SECONDS_MAX}.`)

export const checkName = (name: string): Refused | undefined =>
  isName(name) ? undefined : refuse('invalid_request', `The name is not ${NAME_FORM}.`)

export const refuseExpired = (): Refused => refuse('invalid_request', 'The expiry is not in the future.')
