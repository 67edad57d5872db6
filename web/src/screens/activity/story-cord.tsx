import type { LedgerLeg, LoggedRequest } from '@quipu/sdk'
import type { JSX } from 'preact'
import { quantityText } from '../../format/amounts.ts'
import { clientOrderId, eventSubject } from '../../format/event-words.ts'
import { dayKey, longDayText, milliText, utcText } from '../../format/times.ts'
import { Icon } from '../../parts/icon.tsx'
import { legName } from '../../parts/ledger-names.ts'
import { hrefOf } from '../../router.ts'
import { isOperator } from '../../session/session.ts'
import { Code, prettyJson } from './code.tsx'
import { requestHref } from './filters.ts'
import type { RequestState } from './request-state.ts'
import { shortKey } from './request-words.ts'
import { isBalanced, type Knot, storyOf } from './story.ts'

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
