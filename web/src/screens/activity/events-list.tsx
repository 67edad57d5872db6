import type { JournalEvent } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { eventSubject, eventTitle, kindWords } from '../../format/event-words.ts'
import { longDayText, milliText } from '../../format/times.ts'
import { onRow } from '../../parts/row-click.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { go, hrefOf } from '../../router.ts'
import { eventLog, followEvents } from './activity-logs.ts'
import { requestHref } from './filters.ts'

const ROW_PX = 29

/** The journal of the world, live. */
export function EventsList(): JSX.Element {
  useEffect(() => followEvents(), [])
  const rows = eventLog.rows.value
  if (rows === undefined && eventLog.problem.value)
    return <Failed what="events" error={eventLog.problem.value} />
  if (rows === undefined) return <Loading rows={12} />
  if (rows.length === 0)
    return (
      <Empty icon="list" title="No event">
        Every change of the world is an event: orders, fills, transfers, the end of a day.
      </Empty>
    )
  return (
    <VirtualRows
      label="Events"
      class="log"
      items={rows}
      rowHeight={ROW_PX}
      onScroll={(top) => {
        eventLog.setAtTop(top < 4)
        if (top < 4 && !eventLog.isPaused.peek()) eventLog.showWaiting()
      }}
      head={
        <tr>
          <th>World, New York</th>
          <th class="r">Event</th>
          <th>What</th>
          <th class="wide-only">Order</th>
          <th>
            <span class="wide-only">Request</span>
          </th>
        </tr>
      }
      row={(event) => <Row key={event.number} event={event} />}
    />
  )
}

function Row({ event }: { readonly event: JournalEvent }): JSX.Element {
  const { number, at, kind, order_id: orderId, request_id: requestId } = event
  const href = requestId === undefined ? undefined : requestHref(requestId)
  const day = longDayText(at).split(' ').slice(1, 3).join(' ')
  return (
    <tr data-href={href === undefined ? undefined : ''} onClick={onRow(() => href !== undefined && go(href))}>
      <td class="mono faint" title={at}>
        <span class="wide-only">{day} </span>
        {milliText(at)}
      </td>
      <td class="r n soft">{number}</td>
      <td class="cut" title={kind}>
        {capital(kind === 'orderFilled' ? eventTitle(event) : kindWords(kind))}{' '}
        <span class="soft">{eventSubject(event)}</span>
      </td>
      <td class="mono wide-only">
        {orderId !== undefined && (
          <a class="link" href={hrefOf('orders', orderId)}>
            {orderId.slice(0, 8)}
          </a>
        )}
      </td>
      <td class="mono">
        {href === undefined ? (
          <span class="faint wide-only">market</span>
        ) : (
          <a class="link" href={href} aria-label={`Request …${requestId?.slice(-7)}`}>
            <span class="wide-only">…{requestId?.slice(-7)}</span>
            <span class="phone-only">→</span>
          </a>
        )}
      </td>
    </tr>
  )
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
