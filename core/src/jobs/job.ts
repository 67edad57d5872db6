import type { AccountId, JobId, RequestId } from '../ids.ts'
import type { Instant } from '../time.ts'

/**
 * A call to someone outside, asked for by an event and so stored before it is made:
 *
 *   asked      on the agenda, due at once or later
 *   started    `runJob` counted an attempt and put the next one off; the shell now makes the call
 *   answered   by a command that names the request; the job is gone
 *   failed     `failJob` says that nobody answered; it is due again after a pause
 *
 * A shell that died between start and answer finds the job on the agenda again: every call is made at least once,
 * under the same id.
 */
export type Job = {
  readonly id: JobId
  readonly kind: JobKind
  readonly accountId: AccountId
  readonly requestId: RequestId
  readonly due: Instant
  readonly attempts: number
  /** What went wrong last. */
  readonly problem?: string
}

/** Ask the issuer to mint; tell it that the shares have moved; have the built-in issuer mint on the chain. */
export type JobKind = 'issuerMint' | 'issuerConfirm' | 'chainMint'

/** One name per request and kind: it is asked for at most once at a time. */
export const jobIdOf = (requestId: RequestId, kind: JobKind): JobId => `${requestId}/${kind}` as JobId
