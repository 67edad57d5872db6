import { schedule, unschedule } from '../agenda.ts'
import type { Appliers } from '../handlers.ts'
import type { JobId, RequestId } from '../ids.ts'
import { found } from '../result.ts'
import type { State, View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import { type Job, type JobKind, jobIdOf } from './job.ts'

export const jobAppliers = {
  jobStarted(state, { jobId, due, attempt }) {
    putJob(state, { ...found(state.jobs.get(jobId), jobId), due, attempts: attempt })
  },

  jobFailed(state, { jobId, due, problem }) {
    putJob(state, { ...found(state.jobs.get(jobId), jobId), due, problem })
  },
} satisfies Appliers

export function putJob(state: State, job: Job): void {
  dropJob(state, job.id)
  state.jobs.set(job.id, job)
  if (!job.parked) schedule(state.agenda, job.due, { kind: 'runJob', jobId: job.id })
}

export function dropJob(state: State, id: JobId): void {
  const job = state.jobs.get(id)
  if (!job) return
  state.jobs.delete(id)
  unschedule(state.agenda, job.due, { kind: 'runJob', jobId: id })
}

const requestJobKinds: readonly JobKind[] = [
  'issuerMint',
  'issuerCustody',
  'issuerConfirm',
  'issuerReject',
  'chainMint',
]

/** Pending jobs of a request. */
export const jobsOf = ({ jobs }: Pick<View, 'jobs'>, id: RequestId): readonly Job[] =>
  requestJobKinds.flatMap((kind) => jobs.get(jobIdOf(id, kind)) ?? [])

/** Stops a request's jobs until `unparkJobs`. */
export function parkJobs(state: State, id: RequestId): void {
  for (const job of jobsOf(state, id)) putJob(state, { ...job, parked: true })
}

/** Makes a request's jobs due immediately. */
export function unparkJobs(state: State, id: RequestId, due: Instant): void {
  for (const { parked: _, ...job } of jobsOf(state, id)) putJob(state, { ...job, due })
}
