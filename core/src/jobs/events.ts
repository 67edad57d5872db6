import type { AccountId, JobId, RequestId } from '../ids.ts'
import type { Instant } from '../time.ts'

export type JobEvent = JobStarted | JobFailed
type JobEventBase = {
  readonly at: Instant
  readonly accountId: AccountId
  readonly jobId: JobId
  readonly requestId?: RequestId
  /** Time of the next attempt. */
  readonly due: Instant
}
export type JobStarted = JobEventBase & { readonly kind: 'jobStarted'; readonly attempt: number }
export type JobFailed = JobEventBase & { readonly kind: 'jobFailed'; readonly problem: string }
