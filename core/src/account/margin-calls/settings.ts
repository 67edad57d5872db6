import { integer, optional, record, type ValueOf } from '../../schema.ts'

/** Margin interest and margin calls. An absent field: none of that. */
export const marginSchema = record({
  /** Annual rate on the settled debit of an account, in millionths. */
  interestRate: optional(integer()),
  /** Number of sessions from a margin call until the broker closes positions. */
  callSessions: optional(integer()),
})
export type MarginSettings = ValueOf<typeof marginSchema>
