import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { problemText } from '../../format/problem-text.ts'
import { dayKey, dayText, longDayText, minuteText } from '../../format/times.ts'
import { clock, nowMs } from '../../live/clock.ts'
import { actionMs, actionTitle, type CorporateAction, worldActions } from '../../live/corporate-actions.ts'
import { eventTitle, type MarketEvent, spanOf } from '../../live/market-events.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SmallForm } from '../../parts/small-form.tsx'
import { toast } from '../../parts/toasts.tsx'
import { actingOperator } from '../../session/connections.ts'
import { type World, worldName } from '../../session/selection.ts'
import { type EventKind, eventKinds, type Moment } from './event-kinds.table.ts'

/** Plan market events, see which have happened, and remove those that have not begun. */
export function EventsCard({ world }: { readonly world: World }): JSX.Element {
  const [open, setOpen] = useState<EventKind>()
  const planned = [...(world.market_events ?? []).map(plannedEvent), ...worldActions.value.map(plannedAction)]
  const isFixed = world.market === 'replay'
  return (
    <Card title="Market events" beside={<span class="right faint small">begin 1 min ahead</span>}>
      <div class="body">
        {isFixed ? (
          <p class="soft">This world replays imported data, so its prices do not change.</p>
        ) : (
          <div class="event-buttons">
            {eventKinds.map((kind) => (
              <button
                data-changes
                key={kind.title}
                type="button"
                class="event-button"
                aria-expanded={open === kind}
                onClick={() => setOpen(open === kind ? undefined : kind)}
              >
                <b>{kind.title}</b>
                <span>{kind.about}</span>
              </button>
            ))}
          </div>
        )}
        {open && <EventForm key={open.title} kind={open} close={() => setOpen(undefined)} />}
      </div>
      {planned.length === 0 ? (
        <div class="empty plain">
          <b>Nothing is planned</b>
          <p>A crash in two minutes shows how your bot reacts.</p>
          {!isFixed && (
            <button data-changes type="button" class="button small" onClick={() => setOpen(eventKinds[0])}>
              Plan a crash
            </button>
          )}
        </div>
      ) : (
        <Schedule planned={planned} />
      )}
    </Card>
  )
}

function momentNow(): Moment {
  const now = nowMs.peek() ?? Date.now()
  return { now, speed: clock.peek()?.speed ?? 0, nextOpenMs: clock.peek()?.nextOpenMs ?? now }
}

function EventForm({ kind, close }: { readonly kind: EventKind; readonly close: () => void }): JSX.Element {
  return (
    <SmallForm
      title={kind.title}
      about={kind.help}
      fields={kind.fields}
      start={kind.start(momentNow())}
      submit={kind.submit}
      close={close}
      send={async (values) =>
        actingOperator().client.createMarketEvent({
          params: { world: worldName.peek() },
          body: kind.body(values, momentNow()),
        })
      }
    />
  )
}

type Status = MarketEvent['status']

/** A market event or a corporate action, as the schedule shows it. */
type Planned = {
  readonly id: string
  readonly title: string
  readonly sentence: string
  /** Absent: always. */
  readonly fromMs: number | undefined
  readonly status: (now: number) => Status
  readonly remove: () => Promise<unknown>
}

const plannedEvent = (event: MarketEvent): Planned => ({
  id: event.id,
  title: eventTitle(event),
  sentence: sentenceOf(event),
  fromMs: spanOf(event)?.fromMs,
  status: (now) => statusAt(event, now),
  remove: () =>
    actingOperator().client.deleteMarketEvent({ params: { world: worldName.peek(), event_id: event.id } }),
})

const plannedAction = (action: CorporateAction): Planned => ({
  id: action.id,
  title: actionTitle(action),
  sentence: `${actionTitle(action)}, ex-date ${dayText(actionMs(action))}`,
  fromMs: actionMs(action),
  // It takes effect at the start of the day, before the open.
  status: (now) => (now < Date.parse(action.effective_at) ? 'pending' : 'done'),
  remove: () =>
    actingOperator().client.deleteCorporateAction({
      params: { world: worldName.peek(), action_id: action.id },
    }),
})

/** The status at the time on screen: the list of the server is as old as its last change. */
function statusAt(event: MarketEvent, now: number): Status {
  const span = spanOf(event)
  if (!span) return event.status
  if (now < span.fromMs) return 'pending'
  return span.toMs !== undefined && now < span.toMs ? 'active' : 'done'
}

function Schedule({ planned }: { readonly planned: readonly Planned[] }): JSX.Element {
  const now = nowMs.value ?? 0
  const shown = planned
    .map((one) => ({ one, status: one.status(now) }))
    .toSorted((a, b) => (a.one.fromMs ?? 0) - (b.one.fromMs ?? 0))
  const next = shown.find(({ status }) => status === 'pending')
  return (
    <ol class="schedule">
      {shown.map(({ one, status }) => (
        <li key={one.id} class={`${status} ${one === next?.one ? 'next' : ''}`} data-status={status}>
          <i />
          <time>{one.fromMs === undefined ? 'always' : timeText(one.fromMs, now)}</time>
          <span>
            {one.sentence} <span class="hidden-text">{status}</span>
          </span>
          {status === 'active' && <span class="chip sim">now</span>}
          {status === 'pending' && (
            <button
              data-changes
              type="button"
              class="icon-button"
              aria-label={`Remove ${one.title}`}
              onClick={() => void one.remove().catch((error: Error) => toast(problemText(error)))}
            >
              <Icon name="close" />
            </button>
          )}
        </li>
      ))}
    </ol>
  )
}

/** `10:26` today, `Tue` this week, otherwise `12 Jan`. */
function timeText(ms: number, now: number): string {
  if (dayKey(ms) === dayKey(now)) return minuteText(ms)
  return Math.abs(ms - now) < 6 * 86_400_000 ? longDayText(ms).slice(0, 3) : dayText(ms)
}

/** `Crash −6 %, all stocks, 14 min, recovers` */
function sentenceOf(event: MarketEvent): string {
  const { kind, symbol, minutes, recovers, to, reason, limit, share } = event
  const parts = [
    eventTitle(event),
    ...(symbol === undefined ? ['all stocks'] : []),
    ...(share === undefined ? [] : [`${Math.round(share * 100)} % of trades`]),
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(minutes === undefined ? [] : [`${minutes} min`]),
    ...(to === undefined ? [] : [`until ${minuteText(to)}`]),
    ...(kind === 'crash' && recovers === true ? ['recovers'] : []),
    ...(reason === undefined ? [] : [reason.replaceAll('_', ' ')]),
  ]
  return parts.join(', ')
}
