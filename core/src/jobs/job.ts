import { bookTransferSchema } from '../account/partner/movements.ts'
import type { AccountId, IssuerCode, JobId, RequestId } from '../ids.ts'
import { boolean, id, instant, integer, oneOf, optional, record, text, type ValueOf } from '../schema.ts'
import type { Instant } from '../time.ts'

/**
 * In order: ask the issuer to mint; ask for its custody account; confirm that the shares have moved; report a
 * rejected request; mint on the chain (built-in issuer); ask an issuer for a customer by e-mail address; ask another world to
 * receive a book transfer.
 */
const jobKindSchema = oneOf(
  'issuerMint',
  'issuerCustody',
  'issuerConfirm',
  'issuerReject',
  'chainMint',
  'issuerConnect',
  'askWorld',
)
export type JobKind = ValueOf<typeof jobKindSchema>

/**
 * A call to an external system. An event requests it, so it is stored before it is made:
 *
 *   requested  on the agenda, due immediately or later
 *   started    `runJob` counts an attempt and postpones the next; the shell makes the call
 *   answered   by a command that names the request; the job is deleted
 *   failed     `failJob` reports a failure; the job is due again after a pause
 *   parked     the request is on hold: the job is not on the agenda until the request is released
 *
 * After a crash between start and response, the job is still on the agenda. Every call is made at least once,
 * with the same id.
 */
export const jobSchema = record({
  id: id<JobId>(),
  kind: jobKindSchema,
  accountId: id<AccountId>(),
  /** The subject: a request, the link between the account and this issuer, or a book transfer. */
  requestId: optional(id<RequestId>()),
  issuer: optional(id<IssuerCode>()),
  due: instant<Instant>(),
  attempts: integer(),
  /** The last error. */
  problem: optional(text()),
  parked: optional(boolean()),
  /** The book transfer that another world is asked to receive. */
  bookTransfer: optional(bookTransferSchema),
})
export type Job = ValueOf<typeof jobSchema>

/** One id per subject and kind, so there is at most one job of a kind at a time. */
export const jobIdOf = (subject: RequestId | string, kind: JobKind): JobId => `${subject}/${kind}` as JobId
