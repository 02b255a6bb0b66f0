// A part of the page whose code comes once it is shown. Where that cannot be had, after an update or in an outage, or is at
// fault, the rest of the page stays.
import { Component, type ReactNode, Suspense } from 'react'
import { Fault } from './fault.tsx'

type Broken = { readonly fault: unknown }

type LaterProps = { readonly children: ReactNode; readonly fallback?: ReactNode }

/** Only a class can catch what a component throws. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly broken: Broken | null }> {
  override readonly state: { readonly broken: Broken | null } = { broken: null }

  static getDerivedStateFromError(fault: unknown): { readonly broken: Broken } {
    return { broken: { fault } }
  }

  override render(): ReactNode {
    const { broken } = this.state
    if (broken === null) return this.props.children
    return <Fault fault={broken.fault} onAgain={() => window.location.reload()} />
  }
}

export const Later = ({ children, fallback }: LaterProps) => (
  <Boundary>
    <Suspense fallback={fallback}>{children}</Suspense>
  </Boundary>
)
