import type { AccountId, JobId, RequestId } from '../ids.ts'
import type { Instant } from '../time.ts'

export type JobEvent = JobStarted | JobFailed
type OfJob = {
  readonly at: Instant
  readonly accountId: AccountId
  readonly jobId: JobId
  readonly requestId?: RequestId
  /** Time of the next attempt. */
  readonly due: Instant
}
export type JobStarted = OfJob & { readonly kind: 'jobStarted'; readonly attempt: number }
export type JobFailed = OfJob & { readonly kind: 'jobFailed'; readonly problem: string }
