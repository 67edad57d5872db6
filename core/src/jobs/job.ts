import type { AccountId, IssuerCode, JobId, RequestId } from '../ids.ts'
import type { Instant } from '../time.ts'

/**
 * A call to an external system. An event requests it, so it is stored before it is made:
 *
 *   requested  on the agenda, due immediately or later
 *   started    `runJob` counts an attempt and postpones the next; the shell makes the call
 *   answered   by a command that names the request; the job is deleted
 *   failed     `failJob` reports a failure; the job is due again after a pause
 *   parked     the request is on hold: the job is not on the agenda until the request is released
 *
 * After a crash between start and answer, the job is still on the agenda. Every call is made at least once,
 * with the same id.
 */
export type Job = {
  readonly id: JobId
  readonly kind: JobKind
  readonly accountId: AccountId
  /** The subject: a request, or the link between the account and this issuer. */
  readonly requestId?: RequestId
  readonly issuer?: IssuerCode
  readonly due: Instant
  readonly attempts: number
  /** The last error. */
  readonly problem?: string
  readonly parked?: boolean
}

/**
 * In order: ask the issuer to mint; ask for its custody account; confirm that the shares have moved; report a
 * rejected request; mint on the chain (built-in issuer); ask an issuer for a customer by e-mail address.
 */
export type JobKind =
  | 'issuerMint'
  | 'issuerCustody'
  | 'issuerConfirm'
  | 'issuerReject'
  | 'chainMint'
  | 'issuerConnect'

/** One id per subject and kind, so there is at most one job of a kind at a time. */
export const jobIdOf = (subject: RequestId | string, kind: JobKind): JobId => `${subject}/${kind}` as JobId
