import type { JSX } from 'preact'
import { NotAllowed } from '../../parts/states.tsx'
import { place } from '../../router.ts'
import { hasRole, isOperator, session } from '../../session/session.ts'
import { EventsList } from './events-list.tsx'
import { requestHref, type Tab, tab } from './filters.ts'
import { HeadBar } from './head-bar.tsx'
import { JobsList } from './jobs-list.tsx'
import { RequestDetail } from './request-detail.tsx'
import { RequestsList } from './requests-list.tsx'
import { StreamsList } from './streams-list.tsx'
import './activity.css'

const lists: Readonly<Record<Tab, () => JSX.Element>> = {
  requests: RequestsList,
  events: EventsList,
  streams: StreamsList,
  jobs: JobsList,
}

const labels: Readonly<Record<Tab, string>> = {
  requests: 'Request log',
  events: 'Journal',
  streams: 'Open streams',
  jobs: 'Pending jobs',
}

/** What programs do here: requests, events, open streams and jobs; and one request from HTTP to its postings. */
export default function Activity(): JSX.Element {
  const isDetail = place.value.item !== undefined
  const isAllowed = isOperator.value || tab.value === 'requests' || tab.value === 'events'
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
