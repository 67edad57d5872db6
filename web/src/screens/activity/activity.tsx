import type { JSX } from 'preact'
import { Empty, Failed, Loading, NotAllowed } from '../../parts/states.tsx'
import { RiskPanel } from '../../risk/risk-panel.tsx'
import { hrefOf, place } from '../../router.ts'
import { hasRole, isOperator, session } from '../../session/session.ts'
import { EventsList } from './events-list.tsx'
import { requestHref, type Tab, tab } from './filters.ts'
import { HeadBar, operatorTabs } from './head-bar.tsx'
import { RequestDetail } from './request-detail.tsx'
import { RequestsList } from './requests-list.tsx'
import { StreamsList } from './streams-list.tsx'
import './activity.css'
import { useEffect } from 'preact/hooks'
import { kindWords } from '../../format/event-words.ts'
import { milliText } from '../../format/times.ts'
import { followJobs, type Job, jobs, jobsProblem, readJobs } from './activity-logs.ts'

const lists: Readonly<Record<Tab, () => JSX.Element>> = {
  requests: RequestsList,
  events: EventsList,
  risk: RiskPanel,
  streams: StreamsList,
  jobs: JobsList,
}

const labels: Readonly<Record<Tab, string>> = {
  requests: 'Request log',
  events: 'Journal',
  risk: 'Risk of the account',
  streams: 'Open streams',
  jobs: 'Pending jobs',
}

/** What programs do here: requests, events, open streams and jobs; and one request from HTTP to its postings. */
export default function Activity(): JSX.Element {
  const isDetail = place.value.item !== undefined
  const isAllowed = isOperator.value || !operatorTabs.includes(tab.value)
  const List = lists[tab.value]
  return (
    <>
      {!isDetail && <h1 class="hidden-text">Activity</h1>}
      <HeadBar />
      <div class={`activity ${isDetail ? 'with-detail' : ''}`}>
        <section class="card activity-list" aria-label={labels[tab.value]}>
          {isAllowed ? <List /> : <NotAllowed name={session.value?.name ?? ''} canRaise={hasRole.value} />}
        </section>
        {isDetail && (
          <div class="stack">
            <a class="link phone-only" href={requestHref(undefined)}>
              All requests
            </a>
            <RequestDetail />
          </div>
        )}
      </div>
    </>
  )
}

/** Pending calls to issuers and chains. */
function JobsList(): JSX.Element {
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
