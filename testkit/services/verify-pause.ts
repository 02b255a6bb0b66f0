// What happens once the signature of a JWT of a trusted issuer is verified, in front of the ports of a service of a test.
import type { Ports } from '../../server/src/ports/ports.ts'
import type { UnverifiedJwt } from '../../server/src/ports/issuers.ts'

type Work = () => Promise<unknown>

/** Call it where the tests are declared, and give the service what `inFront` is as its `break`. */
export const makeVerifyPause = () => {
  let pending: Work | undefined
  let after: Work | undefined

  const pausing = <Jwt extends Pick<UnverifiedJwt, 'verify'>>(
    jwt: Jwt | { readonly wrong: string },
  ): Jwt | { readonly wrong: string } => {
    if ('wrong' in jwt) return jwt
    const verify: UnverifiedJwt['verify'] = async (record, source) => {
      const wrong = await jwt.verify(record, source)
      const work = pending
      pending = undefined
      await work?.()
      await after?.()
      return wrong
    }
    return { ...jwt, verify }
  }

  return {
    /** What happens once, after the next signature is verified. */
    next: (work: Work): void => {
      pending = work
    },
    /** What happens after each; undefined: nothing any more. */
    each: (work: Work | undefined): void => {
      after = work
    },
    /** Whether what happens once is still to happen. */
    isPending: (): boolean => pending !== undefined,
    inFront: ({ foreignIssuers, ...ports }: Ports): Ports => ({
      ...ports,
      foreignIssuers: {
        ...foreignIssuers,
        read: text => pausing(foreignIssuers.read(text)),
        readRevocation: text => pausing(foreignIssuers.readRevocation(text)),
      },
    }),
  }
}
