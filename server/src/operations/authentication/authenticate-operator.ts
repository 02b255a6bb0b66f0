// Recognizes an operator by a JWT of a configured identity provider.
import type { OperatorCaller } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Source } from '../../domain/source.ts'
import type { Ports } from '../../ports/ports.ts'

/** The operator that a JWT of a configured identity provider names, or `invalid_token` with one text for every cause (RFC 6750 §3.1). */
export const authenticateOperator = async (
  ports: Pick<Ports, 'operators'>,
  jwt: string,
  source: Source,
): Promise<OrRefusal<OperatorCaller>> => {
  const verified = await ports.operators.verify(jwt, source)
  if (!('refused' in verified)) return verified
  const description = 'The bearer token is not a valid JWT of a configured identity provider for this service.'
  const challenges = ['Bearer error="invalid_token"'] as const
  const attempt = { way: 'operator', clientId: null } as const
  return { refusal: { code: 'invalid_token', description, challenges, inside: verified.refused, attempt } }
}
