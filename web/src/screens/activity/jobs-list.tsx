import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { kindWords } from '../../format/event-words.ts'
import { milliText } from '../../format/times.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { hrefOf } from '../../router.ts'
import { followJobs, type Job, jobs, jobsProblem, readJobs } from './activity-logs.ts'

/** Pending calls to issuers and chains. */
export function JobsList(): JSX.Element {
  useEffect(() => followJobs(), [])
  const pending = jobs.value
  if (pending === undefined && jobsProblem.value)
    return <Failed what="jobs" error={jobsProblem.value} retry={() => void readJobs()} />
  if (pending === undefined) return <Loading rows={3} />
  if (pending.length === 0)
    return (
      <Empty icon="token" title="No job is pending">
        A mint or a redeem calls an issuer and a chain. Calls that are due or failed appear here.
      </Empty>
    )
  return (
    <div class="scroll">
      <table class="log">
        <thead>
          <tr>
            <th>Due, New York</th>
            <th>Job</th>
            <th>Tokenization request</th>
            <th class="r">Attempts</th>
            <th>Problem</th>
          </tr>
        </thead>
        <tbody>
          {pending.map((job) => (
            <Row key={job.job_id} job={job} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Row = ({ job }: { readonly job: Job }): JSX.Element => (
  <tr>
    <td class="mono faint" title={job.due_at}>
      {milliText(job.due_at)}
    </td>
    <td title={job.job_id}>
      {kindWords(job.kind)} {job.parked && <span class="chip warn">parked</span>}
    </td>
    <td class="mono">
      {job.tokenization_request_id === undefined ? (
        '–'
      ) : (
        <a class="link" href={hrefOf('tokenization', job.tokenization_request_id)}>
          {job.tokenization_request_id.slice(0, 8)}
        </a>
      )}
    </td>
    <td class="r n">{job.attempts}</td>
    <td class="cut of-wrong" title={job.problem ?? undefined}>
      {job.problem ?? ''}
    </td>
  </tr>
)
