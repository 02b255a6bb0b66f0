// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type EndsCounted = {
  readonly dry_run: true
  readonly ends: {
    /** Live tokens that would end. */
    readonly tokens: number
    /** Live tokens beside those that were got for them, and would end with them. */
    readonly descendants: number
    /** The agents that hold those, most first, at most 20. */
    readonly descendant_agents: readonly {
      readonly agent_id: string
      readonly name: string
      readonly tokens: number
    }[]
    /** False: at least so many. Exact up to 10000 in all. */
    readonly exact: boolean
    /** With what the tokens would end. Empty: this ends nothing, whatever tokens there are. */
    readonly reasons: readonly string[]
  }
}
