import type { AccountId, JobId, RequestId } from '../ids.ts'
import { events, id, instant, integer, optional, text, type ValueOf } from '../schema.ts'
import type { Instant } from '../time.ts'

const ofJob = {
  accountId: id<AccountId>(),
  jobId: id<JobId>(),
  requestId: optional(id<RequestId>()),
  /** Time of the next attempt. */
  due: instant<Instant>(),
}

export const jobEvents = events({
  jobStarted: { ...ofJob, attempt: integer() },
  jobFailed: { ...ofJob, problem: text() },
})
export type JobStarted = ValueOf<typeof jobEvents.jobStarted>
