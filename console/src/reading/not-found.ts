// Whether the service has nothing of that name: it never had, or it was deleted.
import { ApiRefused } from '../../../packages/client/src/administration/api-errors.ts'

export const isNotFound = (fault: unknown): boolean => fault instanceof ApiRefused && fault.status === 404
