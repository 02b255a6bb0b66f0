// What was refused, whose code comes once the first screen is there.
import { lazy } from 'react'
import { Later } from '../parts/later.tsx'

const Panels = lazy(async () => ({ default: (await import('./refused.tsx')).Refused }))

export const Refused = () => (
  <Later>
    <Panels />
  </Later>
)
