import type { AccountId, IssuerCode, JobId, RequestId } from '../ids.ts'
import type { Instant } from '../time.ts'

/**
 * A call to someone outside, asked for by an event and so stored before it is made:
 *
 *   asked      on the agenda, due at once or later
 *   started    `runJob` counted an attempt and put the next one off; the shell now makes the call
 *   answered   by a command that names the request; the job is gone
 *   failed     `failJob` says that nobody answered; it is due again after a pause
 *   parked     somebody holds its request: it is on no agenda until the request is let go
 *
 * A shell that died between start and answer finds the job on the agenda again: every call is made at least once,
 * under the same id.
 */
export type Job = {
  readonly id: JobId
  readonly kind: JobKind
  readonly accountId: AccountId
  /** What it is about: a request, or the link of the account to this issuer. */
  readonly requestId?: RequestId
  readonly issuer?: IssuerCode
  readonly due: Instant
  readonly attempts: number
  /** What went wrong last. */
  readonly problem?: string
  readonly parked?: boolean
}

/**
 * Ask the issuer to mint; ask it which account takes the shares; tell it that they have moved; tell it that nothing
 * comes of a request; have the built-in issuer mint on the chain; ask an issuer whom it knows by an e-mail address.
 */
export type JobKind =
  | 'issuerMint'
  | 'issuerCustody'
  | 'issuerConfirm'
  | 'issuerReject'
  | 'chainMint'
  | 'issuerConnect'

/** One name per request and kind: it is asked for at most once at a time. */
export const jobIdOf = (about: RequestId | string, kind: JobKind): JobId => `${about}/${kind}` as JobId
