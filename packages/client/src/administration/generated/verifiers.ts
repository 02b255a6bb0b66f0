// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ListVerifiersRecord = {
  readonly name: string
  readonly api_key_id: string
  readonly api_key_name: string
  /** From where it reported last. */
  readonly address: string
  readonly epoch: string
  /** Up to where it said that it holds all facts. */
  readonly position: number
  /** Positions between its own and that of the feed; null in another epoch. */
  readonly behind: number | null
  readonly first_reported_at: string
  readonly reported_at: string
  /** Since its last report. */
  readonly stale_seconds: number
  /** silent: it was not heard of for 30 s. Else current, where it holds all facts, or behind. */
  readonly state: 'current' | 'behind' | 'silent'
  /** Uses of tokens by agent since it started, as it last said. */
  readonly uses: readonly {
    readonly agent_id: string
    readonly count: number
  }[]
}

export type ListVerifiersPage = {
  readonly data: readonly ListVerifiersRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}
