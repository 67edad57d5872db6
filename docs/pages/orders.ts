import { moves, type OrderMove, type OrderStatus } from '@quipu/core'
import { statuses } from '../../server/src/wire/order-words.ts'
import { code, generatedFrom, table } from './table.ts'

/** The cause of each transition, and its event on `trade_updates`. */
const causes: Readonly<Record<OrderMove, { readonly cause: string; readonly event: string }>> = {
  release: { cause: 'the session starts (04:00 New York)', event: 'pending_new' },
  work: { cause: 'the order reaches the market, after the latency of the world', event: 'new' },
  activate: {
    cause: 'the parent is filled (take-profit), or a trade reaches the stop price (stop-loss)',
    event: 'new',
  },
  fillPart: { cause: 'a partial fill', event: 'partial_fill' },
  fillAll: { cause: 'the last fill', event: 'fill' },
  cancel: {
    cause:
      'a request; the end of its group; an ioc or fok order without another fill; a gtc order after 90 days',
    event: 'canceled',
  },
  expire: { cause: 'the time in force ends', event: 'expired' },
  replace: { cause: 'a new order replaces it', event: 'replaced' },
  reject: {
    cause: 'the market rejects it (`reject_share`), or does not let it replace an order',
    event: 'rejected',
  },
  requestCancel: { cause: 'a request to cancel', event: 'pending_cancel' },
  requestReplace: { cause: 'a request to replace', event: 'pending_replace' },
  endDay: {
    cause: 'the market stops working it for the session (`done_for_day_share`)',
    event: 'done_for_day',
  },
  restorePending: { cause: 'the market rejects the request', event: 'order_cancel_rejected' },
  restoreNew: { cause: 'the market rejects the request', event: 'order_cancel_rejected' },
  restorePart: { cause: 'the market rejects the request', event: 'order_cancel_rejected' },
}

const meanings: Readonly<Record<OrderStatus, string>> = {
  accepted: 'queued until its session starts',
  pendingNew: 'sent to the market, not there yet',
  held: 'a leg that waits for its parent, or a stop-loss that waits for its stop price',
  new: 'working; a simple stop order is `new` while it waits for its stop price',
  partiallyFilled: 'working, partly filled',
  filled: 'final',
  canceled: 'final; may be partly filled',
  expired: 'final; may be partly filled',
  replaced: 'final; `replaced_by` is the id of the new order',
  rejected: 'final; only with `venue` settings',
  pendingCancel: 'a cancel is requested, and the order can still fill; only with `venue` settings',
  pendingReplace: 'a replacement is requested, and the order can still fill; only with `venue` settings',
  doneForDay: 'the market does not work it until its next session; only with `venue` settings',
}

const all = Object.keys(moves) as OrderStatus[]
const steps = all.flatMap((from) =>
  (Object.entries(moves[from]) as [OrderMove, OrderStatus][]).map(([move, to]) => ({ from, move, to })),
)

/** The first status of an order, by its kind and time. */
const firstStatuses: readonly (readonly [status: OrderStatus, when: string, event: string])[] = [
  [
    'pendingNew',
    'placed during its session, or before it on the same day; crypto at any time',
    'pending_new',
  ],
  ['accepted', 'placed after its session, for the next one', 'accepted'],
  ['held', 'a leg of a bracket, OCO or OTO order', 'held'],
]

const restoring = {
  pendingCancel: { cause: 'the market rejects the cancel', event: 'order_cancel_rejected' },
  pendingReplace: { cause: 'the market rejects the replacement', event: 'order_replace_rejected' },
  doneForDay: { cause: 'its next session starts (04:00 New York)', event: 'new' },
}

const causeOf = (from: OrderStatus, move: OrderMove) =>
  move.startsWith('restore') && from in restoring ? restoring[from as keyof typeof restoring] : causes[move]

const diagram = (): string =>
  [
    'stateDiagram-v2',
    ...firstStatuses.map(([status]) => `  [*] --> ${statuses[status]}`),
    ...steps.map(({ from, move, to }) => `  ${statuses[from]} --> ${statuses[to]}: ${move}`),
    ...all
      .filter((status) => Object.keys(moves[status]).length === 0)
      .map((status) => `  ${statuses[status]} --> [*]`),
  ].join('\n')

/** The statuses and transitions of an order, generated from the table that the core uses. */
export const ordersPage = (): string => `${generatedFrom('core/src/orders/transitions.ts')}

# Order statuses and transitions

\`\`\`mermaid
${diagram()}
\`\`\`

${table(
  ['Status', 'Meaning'],
  all.map((status) => [code(statuses[status]), meanings[status]]),
)}

## First status

${table(
  ['Status', 'When', '`trade_updates`'],
  firstStatuses.map(([status, when, event]) => [code(statuses[status]), when, code(event)]),
)}

## Transitions

${table(
  ['From', 'Transition', 'To', 'Cause', '`trade_updates`'],
  steps.map(({ from, move, to }) => [
    code(statuses[from]),
    move,
    code(statuses[to]),
    causeOf(from, move).cause,
    code(causeOf(from, move).event),
  ]),
)}

Any other transition is a bug. The world halts instead of recording it. A final status never changes.
\`core/src/orders/transitions.spec.ts\` tests each row and tries every other transition.

By default cancel and replace take effect at once, whatever the latency of the world, and no order is \`rejected\`. Settings of a world
change that: [venue](../guides/venue.md). These statuses never occur: \`accepted_for_bidding\`, \`stopped\`, \`suspended\`, \`calculated\`
and \`pending_review\`.

Quipu refuses a cancel or a replacement of a closed order, and of an order with a pending cancel or replacement.

## Changes without a transition

- A trade that reaches the stop price elects the stop. A simple stop order stays \`new\`, and no event is sent.
- A trailing stop follows the best price in \`hwm\` and \`stop_price\`. No event is sent.
- A partial fill of the take-profit reduces the stop-loss, and a split changes open orders. Both send \`restated\`.

## Groups

${table(
  ['Cause', 'Effect at the same time'],
  [
    [
      'the entry of a bracket or OTO order is filled completely',
      'the take-profit works; the stop-loss, still `held`, waits for its stop price',
    ],
    ['the take-profit of an OCO order starts to work', 'the stop-loss waits for its stop price'],
    ['a take-profit is partly filled', 'the stop-loss is reduced to the open quantity'],
    ['a take-profit is filled completely', 'the stop-loss is canceled'],
    ['a trade reaches the stop-loss', 'the take-profit is canceled, the stop-loss works'],
    ['a member is canceled or expires', 'all other open members are canceled'],
    [
      'a member is replaced',
      'the new order joins the group; the others get its quantity plus the quantity already filled of the entry',
    ],
  ],
)}

The cancel of a partly filled entry also cancels its legs. The filled shares then have no exits.

## Numbers

The events of an account are numbered from 1, without gaps. Ids of orders and executions are derived from that number. The journal
numbers all events of a world. \`event_id\` on the streams sorts in the same order.
`
