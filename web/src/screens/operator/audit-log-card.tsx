import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { kindWords } from '../../format/event-words.ts'
import { dayText, milliText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { hrefOf } from '../../router.ts'
import {
  type Entry,
  entries,
  followLog,
  isAtTop,
  type LogFilters,
  logFilters,
  logProblem,
  readOlder,
  showWaiting,
  waiting,
} from './audit-log.ts'
import { userName } from './readings.ts'

/** Who caused which event, newest first, live. */
export function AuditLogCard(): JSX.Element {
  useEffect(followLog, [])
  return (
    <Card title="Audit log" beside={<Beside />}>
      <div class="filters audit-filters">
        <Filter name="operation" label="Operation" />
        <Filter name="caller" label="Key, user or app id" />
        <Filter name="address" label="Address" />
      </div>
      <Rows />
    </Card>
  )
}

const Beside = (): JSX.Element =>
  waiting.value.length > 0 ? (
    <button
      type="button"
      class="button small right"
      onClick={() => {
        showWaiting()
        document.querySelector('.audit-log')?.scrollTo(0, 0)
      }}
    >
      {waiting.value.length} new
    </button>
  ) : (
    <span class="faint small right">clock of the world, New York time</span>
  )

function Filter({ name, label }: { readonly name: keyof LogFilters; readonly label: string }): JSX.Element {
  return (
    <input
      class="chip"
      aria-label={label}
      placeholder={label}
      value={logFilters.value[name]}
      onChange={({ currentTarget }) => {
        logFilters.value = { ...logFilters.peek(), [name]: currentTarget.value }
      }}
    />
  )
}

function Rows(): JSX.Element {
  const [list, problem] = [entries.value, logProblem.value]
  if (problem && (list === undefined || list.length === 0))
    return (
      <Failed
        what="the audit log"
        error={problem}
        retry={() => {
          logFilters.value = { ...logFilters.peek() }
        }}
      />
    )
  if (list === undefined) return <Loading rows={8} />
  if (list.length === 0)
    return (
      <Empty icon="search" title="No entry">
        Every request that changed something has a row: who sent it, from where, and what it caused.
      </Empty>
    )
  return (
    <VirtualRows
      class="audit-log"
      label="Rows of the audit log"
      items={list}
      onEnd={() => void readOlder()}
      onScroll={(top) => {
        isAtTop.value = top < 4
      }}
      head={
        <tr>
          <th>Time</th>
          <th>Operation</th>
          <th class="wide-only">First event</th>
          <th>Caller</th>
          <th class="wide-only">Address</th>
          <th class="r wide-only">Request</th>
        </tr>
      }
      row={(entry) => <Row key={entry.number} of={entry} />}
    />
  )
}

function Row({ of }: { readonly of: Entry }): JSX.Element {
  return (
    <tr data-row tabIndex={-1}>
      <td class="mono faint" title={of.at}>
        <span class="wide-only">{dayText(of.at)} </span>
        {milliText(of.at)}
      </td>
      <td>
        <b>{of.operation}</b>
      </td>
      <td class="wide-only soft">
        {kindWords(of.kind)} <span class="sub">{of.number}</span>
      </td>
      <td class="cut" title={callerOf(of)}>
        {of.operator === true && <span class="chip warn wide-only">Operator</span>} {callerOf(of)}
      </td>
      <td class="wide-only mono">{of.address ?? <span class="faint">–</span>}</td>
      <td class="r wide-only">
        <a class="link mono" href={hrefOf('activity', of.request_id)}>
          …{of.request_id.slice(-7)}
        </a>
      </td>
    </tr>
  )
}

/** The most exact name of the caller. */
function callerOf({ caller, key_id: key, user_id: user, client_id: app }: Entry): string {
  if (key !== undefined) return `${caller} ${key}`
  if (app !== undefined) return `app ${app.slice(0, 8)}`
  return user === undefined ? caller : `user ${userName(user)}`
}
