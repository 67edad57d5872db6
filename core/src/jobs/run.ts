import { min } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import { found, ok } from '../result.ts'
import { HOUR, later, MINUTE, SECOND } from '../time.ts'
import type { Job } from './job.ts'

/** Longer than any call may take, so that attempts never overlap. */
const RESPONSE_WAIT = 2n * MINUTE
const PAUSE_MIN = SECOND
const PAUSE_MAX = 5n * MINUTE
/** After this time the issuer is no longer notified of a rejection. */
const REJECTION_WITHIN = 24n * HOUR

export const jobDeciders = {
  /** Starts an attempt. A job that no longer exists, or is not due, is ignored. */
  runJob(view, { at }, { jobId }) {
    const job = view.jobs.get(jobId)
    if (!job || job.parked || job.due > at) return ok([])
    const due = later(at, RESPONSE_WAIT)
    return ok([{ kind: 'jobStarted', at, ...idsOf(job), due, attempt: job.attempts + 1 }])
  },

  failJob(view, moment, { jobId, problem }) {
    const job = view.jobs.get(jobId)
    if (!job) return ok([])
    const rejected = job.kind === 'issuerReject' && job.requestId && view.requests.get(job.requestId)
    if (rejected && moment.at - rejected.updatedAt >= REJECTION_WITHIN) {
      const { id: requestId, accountId } = rejected
      return ok([{ kind: 'rejectionReported', at: moment.at, accountId, requestId, problem }])
    }
    const { events } = found(view.accounts.get(job.accountId), job.accountId)
    const due = later(moment.at, pauseAfter(job.attempts, moment.id(job.accountId, events, 0)))
    return ok([{ kind: 'jobFailed', at: moment.at, ...idsOf(job), due, problem }])
  },
} satisfies Deciders

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
