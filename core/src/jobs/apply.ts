import { schedule, unschedule } from '../agenda.ts'
import type { JobId } from '../ids.ts'
import { found } from '../result.ts'
import type { State } from '../state.ts'
import type { JobEvent } from './events.ts'
import type { Job } from './job.ts'

export function applyJob(state: State, event: JobEvent): void {
  const job = found(state.jobs.get(event.jobId), event.jobId)
  const { due } = event
  putJob(
    state,
    event.kind === 'jobStarted'
      ? { ...job, due, attempts: event.attempt }
      : { ...job, due, problem: event.problem },
  )
}

export function putJob(state: State, job: Job): void {
  dropJob(state, job.id)
  state.jobs.set(job.id, job)
  schedule(state.agenda, job.due, { kind: 'runJob', jobId: job.id })
}

export function dropJob(state: State, id: JobId): void {
  const job = state.jobs.get(id)
  if (!job) return
  state.jobs.delete(id)
  unschedule(state.agenda, job.due, { kind: 'runJob', jobId: id })
}
