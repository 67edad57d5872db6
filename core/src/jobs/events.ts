import type { AccountId, JobId, RequestId } from '../ids.ts'
import { event, id, instant, integer, optional, text, type ValueOf } from '../schema.ts'
import type { Instant } from '../time.ts'

const ofJob = {
  at: instant<Instant>(),
  accountId: id<AccountId>(),
  jobId: id<JobId>(),
  requestId: optional(id<RequestId>()),
  /** Time of the next attempt. */
  due: instant<Instant>(),
}

const jobStarted = event('jobStarted', { ...ofJob, attempt: integer() })
export type JobStarted = ValueOf<typeof jobStarted>

const jobFailed = event('jobFailed', { ...ofJob, problem: text() })
export type JobFailed = ValueOf<typeof jobFailed>

export const jobEvents = [jobStarted, jobFailed] as const
export type JobEvent = ValueOf<(typeof jobEvents)[number]>
