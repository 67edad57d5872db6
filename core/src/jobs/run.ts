import { min } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { JobId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { found, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { HOUR, type Instant, MINUTE, SECOND } from '../time.ts'
import type { RejectionReported } from '../tokenization/events.ts'
import type { JobFailed, JobStarted } from './events.ts'
import type { Job } from './job.ts'

export type FailJob = { readonly kind: 'failJob'; readonly jobId: JobId; readonly problem: string }

/** Longer than any call may take, so that attempts never overlap. */
const ANSWER_WAIT = 2n * MINUTE
const PAUSE_MIN = SECOND
const PAUSE_MAX = 5n * MINUTE
/** After this time the issuer is no longer notified of a rejection. */
const REJECTION_WITHIN = 24n * HOUR

/** Starts an attempt. A job that no longer exists, or is not due, is ignored. */
export function runJob(
  view: View,
  { at }: Moment,
  { jobId }: { readonly jobId: JobId },
): Result<JobStarted[], never> {
  const job = view.jobs.get(jobId)
  if (!job || job.parked || job.due > at) return ok([])
  const due = (at + ANSWER_WAIT) as Instant
  return ok([{ kind: 'jobStarted', at, ...idsOf(job), due, attempt: job.attempts + 1 }])
}

export function failJob(
  view: View,
  moment: Moment,
  { jobId, problem }: FailJob,
): Result<(JobFailed | RejectionReported)[], never> {
  const job = view.jobs.get(jobId)
  if (!job) return ok([])
  const rejected = job.kind === 'issuerReject' && job.requestId && view.requests.get(job.requestId)
  if (rejected && moment.at - rejected.updatedAt >= REJECTION_WITHIN) {
    const { id: requestId, accountId } = rejected
    return ok([{ kind: 'rejectionReported', at: moment.at, accountId, requestId, problem }])
  }
  const { events } = found(view.accounts.get(job.accountId), job.accountId)
  const due = (moment.at + pauseAfter(job.attempts, moment.id(job.accountId, events, 0))) as Instant
  return ok([{ kind: 'jobFailed', at: moment.at, ...idsOf(job), due, problem }])
}

/** One second, doubled with each attempt, at most five minutes, plus up to 25 % jitter from a seeded id. */
export function pauseAfter(attempts: number, randomId: string): bigint {
  const doubled = PAUSE_MIN << BigInt(Math.min(Math.max(attempts - 1, 0), 20))
  const pause = min(doubled, PAUSE_MAX)
  return pause + (pause * BigInt(Number.parseInt(randomId.slice(0, 4), 16))) / (4n * 65_536n)
}

const idsOf = ({ accountId, id, requestId }: Job) => ({
  accountId,
  jobId: id,
  ...definedFields({ requestId }),
})
