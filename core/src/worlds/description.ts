import type { ByKind } from '../kinds.ts'
import { events, integer, optional, record, text } from '../schema.ts'

/** What people call a world, besides its name, and until when it is kept if nobody uses it. */
export type WorldDescription = {
  readonly title?: string | undefined
  readonly note?: string | undefined
  /** Real time. Absent: the world is kept. */
  readonly expiresAtMs?: number | undefined
}

export type DescribeCommand = ByKind<{
  /** The whole description: an absent field is removed. */
  describeWorld: WorldDescription
}>

export const describeEvents = events({
  worldDescribed: {
    title: optional(text()),
    note: optional(text()),
    /** Real time is not repeatable, so the journal hash does not cover it. */
    sealed: optional(record({ expiresAtMs: integer() })),
  },
})
