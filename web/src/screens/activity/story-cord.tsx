import type { JournalEvent, LedgerLeg, LoggedRequest } from '@quipu/sdk'
import type { JSX } from 'preact'
import { quantityText } from '../../format/amounts.ts'
import { add, decimal, signOf, ZERO } from '../../format/decimal.ts'
import { clientOrderId, eventSubject, eventTitle } from '../../format/event-words.ts'
import { stepText } from '../../format/step-text.ts'
import { dayKey, durationText, longDayText, milliText, utcText } from '../../format/times.ts'
import { Icon } from '../../parts/icon.tsx'
import { legName } from '../../parts/ledger-names.ts'
import { hrefOf } from '../../router.ts'
import { isOperator } from '../../session/session.ts'
import { Code, prettyJson } from './code.tsx'
import { requestHref } from './filters.ts'
import type { Frame, RequestState } from './request-state.ts'
import { shortKey } from './request-words.ts'

/** A request from HTTP to its events, postings and stream frames, on one cord. */
export function StoryCord({ state }: { readonly state: RequestState }): JSX.Element {
  const knots = storyOf(state)
  const isOwn = ({ event }: Knot) => event.request_id === state.id
  const answered = knots.findLastIndex(isOwn) + 1
  const { request } = state
  return (
    <>
      <ol class="cord story">
        {request ? <RequestKnot request={request} /> : <ReplacedKnot />}
        {knots.slice(0, answered).map((knot) => (
          <EventKnot key={knot.event.number} knot={knot} />
        ))}
        {request && <ResponseKnot request={request} state={state} />}
        {knots.slice(answered).map((knot) => (
          <EventKnot key={knot.event.number} knot={knot} />
        ))}
      </ol>
      {knots.length === 0 && request && (request.status ?? 0) < 400 && (
        <p class="soft small story-note">It changed nothing: no event, no posting, no frame.</p>
      )}
    </>
  )
}

function RequestKnot({ request }: { readonly request: LoggedRequest }): JSX.Element {
  const { at, key_id: key, address, agent, query, body } = request
  return (
    <li class="event">
      <div class="when">
        <b>Request</b>
      </div>
      <p title={`${at}, by the clock of the machine`}>
        {utcText(at)} UTC · {key === undefined ? 'no key' : `key ${shortKey(key)}`}
        {address !== undefined && ` from ${address}`}
        {agent !== undefined && <span class="faint"> · {agent.slice(0, 60)}</span>}
      </p>
      {query !== undefined && query !== '' && <Code label="Query" text={`?${query}`} />}
      {body !== undefined && <Code label="Body" text={prettyJson(body)} />}
    </li>
  )
}

const ReplacedKnot = (): JSX.Element => (
  <li class="absent">
    <div class="when">
      <b>Request</b>
    </div>
    <p>No longer in the request log; its events stay in the journal.</p>
  </li>
)

function ResponseKnot({
  request: { status, ms, reason, code, fault },
  state: { explanation },
}: {
  readonly request: LoggedRequest
  readonly state: RequestState
}): JSX.Element {
  const isRefused = (status ?? 500) >= 400
  return (
    <li class={isRefused ? 'refused' : 'check'}>
      <div class="when">
        <b>{status === null ? 'No response' : isRefused ? `Refused with ${status}` : `Response ${status}`}</b>
        <time>after {ms} ms</time>
      </div>
      {isRefused && explanation?.steps.map(({ sentence }) => <p key={sentence}>{sentence}</p>)}
      {(reason !== undefined || fault !== undefined) && (
        <div class="chips">
          {reason !== undefined && (
            <span class="chip wrong">
              {reason}
              {code !== undefined && ` ${code}`}
            </span>
          )}
          {fault !== undefined && <span class="chip sim">fault {fault}</span>}
        </div>
      )}
    </li>
  )
}

function EventKnot({ knot }: { readonly knot: Knot }): JSX.Element {
  const { event, title, sentences, legs, gap } = knot
  return (
    <li class={`${knot.isEnd ? 'end' : 'event'} ${gap === undefined ? '' : 'gap'}`}>
      <div class="when">
        <b>{title}</b>
        <time dateTime={event.at} title={`${event.at} (${longDayText(event.at)}, New York)`}>
          {milliText(event.at)}
        </time>
      </div>
      <p>
        <Subject knot={knot} /> {sentences.join(' ')}
      </p>
      {legs.length > 0 && <Legs legs={legs} />}
      <Chips knot={knot} />
      {gap !== undefined && (
        <p class="gap-text">
          <Icon name="clock" /> {gap}
        </p>
      )}
    </li>
  )
}

function Subject({ knot: { event } }: { readonly knot: Knot }): JSX.Element | null {
  const name = clientOrderId(event)
  const subject = eventSubject(event)
  if (event.kind !== 'orderAccepted' || event.order_id === undefined) return null
  return (
    <>
      Order{' '}
      <a class="link" href={hrefOf('orders', event.order_id)}>
        {name !== undefined && !/^[0-9a-f-]{36}$/.test(name) ? name : event.order_id.slice(0, 8)}
      </a>
      : {subject}.
    </>
  )
}

/** Each leg of the posting: `my account, unsettled  −18,552.00 USD`. */
const Legs = ({ legs }: { readonly legs: readonly LedgerLeg[] }): JSX.Element => (
  <dl class="legs">
    {legs.map((leg) => (
      <div key={`${leg.number} ${leg.leg}`}>
        <dt>{legName(leg)}</dt>
        <dd class="n">
          {leg.amount.startsWith('-') ? '' : '+'}
          {quantityText(leg.amount)} {leg.asset}
        </dd>
      </div>
    ))}
  </dl>
)

function Chips({ knot: { event, legs, frames, isOfOther } }: { readonly knot: Knot }): JSX.Element | null {
  if (legs.length === 0 && frames.length === 0 && !isOfOther) return null
  return (
    <div class="chips">
      {isOfOther && (
        <a class="chip tint" href={requestHref(event.request_id)}>
          <Icon name="pulse" />
          request …{event.request_id?.slice(-7)}
        </a>
      )}
      {legs.length > 0 && (
        <a class="chip tint" href={hrefOf('ledger', undefined, { order: event.order_id })}>
          <Icon name="scale" />
          {isOperator.value && isBalanced(legs) ? 'posting balances to 0' : `${legs.length} own legs`}
        </a>
      )}
      {frames.map((frame) => (
        <span key={frame.event} class="chip" title="Message on /stream, for each open stream of the account">
          <Icon name="plug" />
          frame {frame.event}
        </span>
      ))}
    </div>
  )
}

/** The day of the story in the world, if all of it is on one day. */
export function dayOfStory({ events }: RequestState): string | undefined {
  const [first, last] = [events[0], events.at(-1)]
  if (!first || !last) return undefined
  const isOne = dayKey(first.at) === dayKey(last.at)
  return isOne ? longDayText(first.at) : `${longDayText(first.at)} to ${longDayText(last.at)}`
}

/** An event of the story, with what it moved and sent. */
type Knot = {
  readonly event: JournalEvent
  readonly title: string
  readonly sentences: readonly string[]
  readonly legs: readonly LedgerLeg[]
  readonly frames: readonly Frame[]
  /** Whether another request caused it. */
  readonly isOfOther: boolean
  readonly isEnd: boolean
  /** The time until the next event, if it is worth a line. */
  readonly gap: string | undefined
}

/** A gap in the time of the world that is written out. */
const GAP_MS = 1000
const ends = new Set(['orderCanceled', 'orderExpired', 'orderRejected', 'orderReplaced'])
/** Steps that only repeat the title of their event. */
const repeated = new Set(['placed', 'filled', 'canceled', 'expired'])

/** The events of a request, and the later ones of its orders. */
function storyOf({ id, events, postings, frames, explanation }: RequestState): readonly Knot[] {
  const steps = explanation?.steps ?? []
  return events.map((event, index) => {
    const { number, kind, request_id: cause } = event
    const next = events[index + 1]
    const gapMs = next ? Date.parse(next.at) - Date.parse(event.at) : 0
    return {
      event,
      title: `Event ${number}, ${eventTitle(event)}`,
      sentences: steps
        .filter((step) => step.number === number && !repeated.has(step.code))
        .map((step) => stepText(step).sentence.trim()),
      legs: postings.filter((leg) => leg.number === number),
      frames: frames.filter((frame) => frame.number === number),
      isOfOther: cause !== undefined && cause !== id,
      isEnd: ends.has(kind) || (kind === 'orderFilled' && !next),
      gap: gapMs >= GAP_MS ? gapText(gapMs, next?.request_id) : undefined,
    }
  })
}

const gapText = (ms: number, cause: string | undefined): string =>
  `${durationText(ms)} of market, ${cause === undefined ? 'no further request' : 'then another request'}`

/** Whether the amounts of each asset add up to zero. Who sees only some of the legs cannot say. */
function isBalanced(legs: readonly LedgerLeg[]): boolean {
  const sums = new Map<string, ReturnType<typeof decimal>>()
  for (const { asset, amount } of legs) sums.set(asset, add(sums.get(asset) ?? ZERO, decimal(amount)))
  return [...sums.values()].every((total) => signOf(total) === 0)
}
