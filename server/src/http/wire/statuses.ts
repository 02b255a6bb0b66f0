// The status of each refusal. A new refusal code does not compile until it has its status here.
import type { RefusalCode } from '../../domain/refusal.ts'

export const STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  unauthorized_client: 400,
  invalid_dpop_proof: 400,
  use_dpop_nonce: 400,
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  already_exists: 409,
  request_too_large: 413,
  misdirected_request: 421,
  too_many_requests: 429,
  header_fields_too_large: 431,
  server_error: 500,
  temporarily_unavailable: 503,
}
