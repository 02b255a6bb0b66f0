// What the operations on verifiers do.
import * as api from '../../../../api/verifiers.ts'
import { verifierRecord } from '../../domain/clients/verifier.ts'
import { listVerifiers } from '../../operations/verifiers/verifiers.ts'
import { bindList } from './binding.ts'

export const bindings = [
  bindList(api.listVerifiers, { filtersOf: () => null, list: listVerifiers, format: verifierRecord }),
]
