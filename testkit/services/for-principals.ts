// Tokens for subjects of trusted issuers at a service of a test, issued as any other is and signed by it,
// for tests of what such tokens are and not of the JWTs that get them (testkit/callers/subject-jwts.ts).
import { formatIssuerSubject } from '../../api/values/subject.ts'
import type { Ports } from '../../server/src/ports/ports.ts'
import { makePrincipals, type TestPrincipal } from '../stores/principals.ts'
import { issue } from '../callers/requests.ts'
import type { AgentOfTest, TestServer } from './test-server.ts'

/** Call it where the tests are declared, and give the service what `inFront` is as its `break`. */
export const makeForPrincipals = () => {
  let principal: TestPrincipal | undefined
  return {
    /** While a principal is named, a token without a parent acts for it. */
    inFront: ({ codec, ledger, ...ports }: Ports): Ports => ({
      ...ports,
      codec: {
        ...codec,
        mint: (claims, key) => {
          if (principal === undefined) return codec.mint(claims, key)
          const sub = formatIssuerSubject(principal.shown)
          return codec.mint(
            claims.map(one => (one.lineage === undefined ? { ...one, sub, act: { sub: one.sub } } : one)),
            key,
          )
        },
      },
      ledger: {
        ...ledger,
        insert: (tokens, until) => {
          const asked = principal?.asked
          if (asked === undefined) return ledger.insert(tokens, until)
          return ledger.insert(
            tokens.map(token => (token.parent === undefined ? { ...token, principal: asked } : token)),
            until,
          )
        },
      },
    }),
    /** Trusts two issuers in the store of the service; subjects of theirs. */
    trustIssuers: ({ storeFile }: TestServer): Promise<readonly TestPrincipal[]> => makePrincipals(storeFile),
    /** Issues a token on behalf of a principal. */
    issueFor: async (service: TestServer, agent: AgentOfTest, whom: TestPrincipal, more = {}): Promise<string> => {
      principal = whom
      try {
        return await issue(service, agent, more)
      } finally {
        principal = undefined
      }
    },
  }
}
