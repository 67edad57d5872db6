import { computed } from '@preact/signals'
import type { JournalEvent, LedgerLeg } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { quantityText } from '../../format/amounts.ts'
import { durationText, longDayText, milliText } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import { reading } from '../../live/reading.ts'
import { Card } from '../../parts/card.tsx'
import { Copy, Id } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { legName } from '../../parts/ledger-names.ts'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { hrefOf, place } from '../../router.ts'
import { operator } from '../../session/connections.ts'
import { api, worldName } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'
import { requests } from './live-requests.ts'
import { RequestActions } from './request-actions.tsx'
import { durationOf, historiesOf, type Request, type Step } from './request-steps.ts'
import { RequestStatus, tookText, typeText } from './request-words.tsx'
import { titleOf } from './states.table.ts'

type Details = {
  readonly id: string
  readonly steps: readonly Step[]
  readonly events: readonly JournalEvent[]
  readonly postings: readonly LedgerLeg[]
}

const details = reading<Details>(async () => {
  const [id, world] = [place.peek().item ?? '', worldName.peek()]
  if (isOperator.peek()) {
    const params = { world, tokenization_request_id: id }
    return { id, ...(await operator().client.getWorldTokenizationRequest({ params })) }
  }
  const call = { params: { world }, query: { tokenization_request_id: id, limit: 1000 } }
  const { client } = api.peek()!
  const [{ events }, { postings }] = await Promise.all([client.listEvents(call), client.listPostings(call)])
  return { id, steps: historiesOf(events).get(id)?.steps ?? [], events, postings }
})

const chosen = computed(() =>
  requests.value.value?.find(({ tokenization_request_id: id }) => id === place.value.item),
)

/** One request: its steps with their times, its events and its postings. */
export function RequestCard(): JSX.Element {
  const [id, request] = [place.value.item, chosen.value]
  const version = request && `${request.state} ${request.isHeld} ${request.steps.length}`
  useEffect(() => {
    if (details.value.peek()?.id !== id) details.clear()
    if (version !== undefined) void details.read()
  }, [id, version])
  const back = (
    <a class="link right" href={hrefOf('tokenization')}>
      Close <kbd class="wide-only">Esc</kbd>
    </a>
  )
  if (!request)
    return (
      <Card title="Request" beside={back}>
        <Empty icon="search" title={requests.value.value ? 'There is no such request here' : 'Loading'}>
          It may belong to another account or world.
        </Empty>
      </Card>
    )
  return (
    <Card
      title={`${typeText(request)} ${quantityText(request.qty)} ${request.underlying_symbol}`}
      beside={back}
      class="request-card"
    >
      <div class="body stack">
        <Facts request={request} />
        {isOperator.value && request.status === 'pending' && <RequestActions request={request} />}
      </div>
      <Shown of={details} what="the steps">
        {(read) => <Story details={read} request={request} />}
      </Shown>
    </Card>
  )
}

function Facts({ request }: { readonly request: Request }): JSX.Element {
  const { issuer, network, token_symbol: token, wallet_address: wallet, tx_hash: hash, reason } = request
  return (
    <>
      <p>
        <RequestStatus request={request} />{' '}
        <span class="faint">
          {request.status === 'pending' ? 'for' : 'in'}{' '}
          {tookText(durationOf(request, nowMs.value ?? Date.now()))}
        </span>
      </p>
      {reason !== undefined && (
        <div class="note wrong">
          <Icon name="warning" />
          <b>Rejected</b>
          <p>{reason}</p>
        </div>
      )}
      <dl class="pairs">
        <dt>Token</dt>
        <dd>
          {token} of {issuer} on {network}
        </dd>
        <dt>Wallet</dt>
        <dd>
          <Short text={wallet} />
        </dd>
        {hash !== null && (
          <>
            <dt>Transaction</dt>
            <dd>
              <Short text={hash} />
            </dd>
          </>
        )}
        <dt>Request</dt>
        <dd>
          <Id value={request.tokenization_request_id} />
        </dd>
      </dl>
    </>
  )
}

const Short = ({ text }: { readonly text: string }): JSX.Element => (
  <Copy text={text} class="link mono id">
    {text.length > 16 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text}
  </Copy>
)

const looks: Readonly<Record<string, string>> = { completed: 'end', rejected: 'refused' }

function Story({
  details: { steps, events, postings },
  request,
}: {
  readonly details: Details
  readonly request: Request
}): JSX.Element {
  return (
    <>
      <h3 class="part-title">Steps</h3>
      <ol class="cord body">
        {steps.map(({ state, at }, index) => (
          <li
            key={`${state} ${at}`}
            class={looks[state] ?? (request.isHeld && index === steps.length - 1 ? 'event waits' : 'event')}
          >
            <div class="when">
              <b>{titleOf(state)}</b>
              <time dateTime={at} title={`${at} (${longDayText(at)}, New York)`}>
                {milliText(at)}
              </time>
            </div>
            {index > 0 && (
              <p class="faint small">
                after {durationText(Date.parse(at) - Date.parse(steps[index - 1]!.at))}
              </p>
            )}
          </li>
        ))}
      </ol>
      <h3 class="part-title">Postings</h3>
      {postings.length === 0 ? (
        <p class="body faint small">It has moved nothing yet. Shares move when the issuer accepts.</p>
      ) : (
        <dl class="pairs body">
          {postings.map((leg) => (
            <Leg key={`${leg.number} ${leg.leg}`} leg={leg} />
          ))}
        </dl>
      )}
      <details class="body">
        <summary>{events.length} events</summary>
        <ul class="event-list">
          {events.map(({ number, kind, at }) => (
            <li key={number}>
              <span class="faint n">{number}</span>{' '}
              {kind.replaceAll(/([A-Z])/g, (one) => ` ${one.toLowerCase()}`)}
              <time class="right mono faint" dateTime={at}>
                {milliText(at)}
              </time>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

const Leg = ({ leg }: { readonly leg: LedgerLeg }): JSX.Element => (
  <>
    <dt>{legName(leg)}</dt>
    <dd class="n">
      {leg.amount.startsWith('-') ? '' : '+'}
      {quantityText(leg.amount)} {leg.asset}
    </dd>
  </>
)
