import { type OrderType, orderTypes } from '@quipu/contract/order-types.ts'
import type { WireOrder as Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { priceText, quantityText } from '../../format/amounts.ts'
import { statusOf, titleOf } from '../../format/orders.ts'
import { durationText } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import { Card } from '../../parts/card.tsx'
import { Copy, Id } from '../../parts/copy.tsx'
import { Status } from '../../parts/order-words.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { go, hrefOf, itemTitle } from '../../router.ts'
import { startOrder, validity } from '../../ticket/ticket-fields.ts'
import { Alternatives } from './alternatives.tsx'
import { cancel } from './list-card.tsx'
import { OrderChart } from './order-chart.tsx'
import { followOrder, type OrderState, readAgain, shown, shownProblem } from './order-state.ts'
import { WhyCard } from './why-card.tsx'

/** One order: the response first, then the reasons. */
export function OrderDetail(): JSX.Element {
  useEffect(() => followOrder(), [])
  const state = shown.value
  if (shownProblem.value && !state)
    return (
      <Card title="Order">
        <Failed what="the order" error={shownProblem.value} retry={readAgain} />
      </Card>
    )
  if (!state)
    return (
      <Card title="Order">
        <Loading rows={6} />
      </Card>
    )
  return <Found state={state} />
}

/** Client ids longer than this were not chosen by a person. */
const NAME_MAX = 24

function Found({ state }: { readonly state: OrderState }): JSX.Element {
  const { order } = state
  const { id, client_order_id: name } = order
  useLayoutEffect(() => {
    itemTitle.value = { item: id, title: name.length > NAME_MAX ? id.slice(0, 8) : name }
  }, [id, name])
  return (
    <div class="stack">
      <section class="card" aria-labelledby="order-title">
        <div class="body order-head">
          <div class="page-head">
            <h1 id="order-title">{titleOf(order)}</h1>
            <span class="chip">
              <Status {...statusOf(order)} api={order.status} />
            </span>
          </div>
          <p class="soft">{answer(state)}</p>
        </div>
        <div class="order-chart">
          <OrderChart state={state} />
        </div>
        <Alternatives state={state} />
      </section>
      <div class="order-parts">
        <WhyCard state={state} />
        <div class="stack">
          <FactsCard order={order} />
          <PostingsCard state={state} />
        </div>
      </div>
    </div>
  )
}

const lifeOf = (order: Order): number => {
  const ended =
    order.filled_at ?? order.canceled_at ?? order.expired_at ?? order.failed_at ?? order.replaced_at
  return (
    (ended == null ? (nowMs.value ?? Date.now()) : Date.parse(ended)) -
    Date.parse(order.submitted_at ?? order.created_at)
  )
}

/** The response to "what became of it?" in one or two sentences. */
function answer({ order, explanation }: OrderState): string {
  const life = durationText(Math.max(lifeOf(order), 0))
  const filled = quantityText(order.filled_qty)
  const price = order.filled_avg_price == null ? '' : ` at ${priceText(order.filled_avg_price)}`
  if (order.status === 'filled') return `Filled ${filled}${price}, ${life} after it was placed.`
  const near = explanation.counterfactual.find(({ code }) => code === 'limitInLife')?.numbers['limit_price']
  const missed =
    near === undefined || order.limit_price == null
      ? ''
      : ` The market came to ${priceText(near)}; the limit is ${priceText(order.limit_price)}.`
  const part = order.filled_qty === '0' ? 'Nothing filled.' : `Filled ${filled}${price}.`
  if (order.canceled_at != null) return `${part} It worked for ${life} until it was canceled.${missed}`
  if (order.expired_at != null) return `${part} It worked for ${life} until it expired.${missed}`
  return `${part} It has been open for ${life}.${missed}`
}

const open = new Set(['new', 'accepted', 'pending_new', 'partially_filled', 'held', 'done_for_day'])

function FactsCard({ order }: { readonly order: Order }): JSX.Element {
  const facts: readonly (readonly [string, JSX.Element | string | undefined, field?: string])[] = [
    ['Id', <Id key="id" value={order.id} />],
    ['Client id', order.client_order_id],
    ['Type', order.type && orderTypes[order.type].label],
    ['Class', order.order_class === 'simple' || order.order_class === '' ? undefined : order.order_class],
    [
      'Quantity',
      order.qty == null ? `$${quantityText(order.notional ?? '0')}` : quantityText(order.qty),
      order.qty == null ? 'notional' : 'qty',
    ],
    ['Filled', quantityText(order.filled_qty), 'filled_qty'],
    [
      'Average price',
      order.filled_avg_price == null ? undefined : priceText(order.filled_avg_price),
      'filled_avg_price',
    ],
    ['Limit', order.limit_price == null ? undefined : priceText(order.limit_price), 'limit_price'],
    ['Stop', order.stop_price == null ? undefined : priceText(order.stop_price), 'stop_price'],
    ['Valid', validity[order.time_in_force]],
  ]
  return (
    <Card
      title="Order"
      beside={
        <span class="right">
          <Copy text={JSON.stringify(order, null, 2)}>JSON</Copy>
        </span>
      }
    >
      <div class="body stack">
        <dl class="pairs">
          {facts.map(([name, value, field]) =>
            value === undefined ? null : (
              <div key={name} class="key-row">
                <dt>{name}</dt>
                <dd data-number={field && `order.${order.id}.${field}`}>{value}</dd>
              </div>
            ),
          )}
        </dl>
        <Legs order={order} />
        {open.has(order.status) && (
          <button data-changes type="button" class="button wide wrong" onClick={() => void cancel(order.id)}>
            Cancel <kbd>x</kbd>
          </button>
        )}
        <button data-changes type="button" class="button wide" onClick={() => placeAgain(order)}>
          Place again …
        </button>
      </div>
    </Card>
  )
}

/** The exits of a bracket, or the other order of a pair. */
function Legs({ order }: { readonly order: Order }): JSX.Element | null {
  const legs = (order.legs ?? []) as readonly Order[]
  if (legs.length === 0) return null
  return (
    <ul>
      {legs.map((leg) => (
        <li key={leg.id}>
          <a class="link" href={hrefOf('orders', leg.id)}>
            {titleOf(leg)}
          </a>
        </li>
      ))}
    </ul>
  )
}

function placeAgain(order: Order): void {
  go(hrefOf('workspace'))
  startOrder({
    symbol: order.symbol,
    side: order.side as 'buy' | 'sell',
    type: order.type as OrderType,
    unit: order.qty == null ? 'money' : 'shares',
    size: order.qty ?? order.notional ?? '1',
    limitPrice: order.limit_price ?? '',
    stopPrice: order.stop_price ?? '',
    validity: order.time_in_force,
  })
}

/** What the order moved on the account. */
function PostingsCard({ state: { postings, order } }: { readonly state: OrderState }): JSX.Element {
  const own = postings.filter(({ ledger_account }) => ledger_account.startsWith('customer:'))
  return (
    <Card
      title="Postings"
      beside={
        <a class="link right" href={hrefOf('ledger', undefined, { order: order.id })}>
          Ledger
        </a>
      }
    >
      {own.length === 0 ? (
        <Empty icon="scale" title="It moved nothing">
          A fill posts cash and shares.
        </Empty>
      ) : (
        <table>
          <thead class="hidden-text">
            <tr>
              <th>Event</th>
              <th>Asset</th>
              <th>Amount</th>
            </tr>
          </thead>
          <tbody>
            {own.map(({ number, leg, asset, amount, ledger_account }) => (
              <tr key={`${number} ${leg}`}>
                <td class="faint">{number}</td>
                <td>
                  {asset} <span class="sub">{ledger_account.split(':')[2]}</span>
                </td>
                <td class="r n" data-number={`leg.${number}.${leg}`}>
                  {quantityText(amount)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
