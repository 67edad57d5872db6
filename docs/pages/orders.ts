import { moves, type OrderMove, type OrderStatus } from '@quipu/core'
import { statuses } from '../../server/src/wire/order-words.ts'
import { code, madeFrom, table } from './table.ts'

/** Why each move happens, and what is told on `trade_updates`. */
const reasons: Readonly<Record<OrderMove, { readonly why: string; readonly told: string }>> = {
  release: { why: 'its session begins: 04:00 New York', told: 'pending_new' },
  work: { why: "the market has it: after the world's latency", told: 'new' },
  activate: {
    why: 'its parent is filled (take-profit), or a trade reached its stop (stop-loss)',
    told: 'new',
  },
  fillPart: { why: 'a fill that leaves something', told: 'partial_fill' },
  fillAll: { why: 'a fill that leaves nothing', told: 'fill' },
  cancel: {
    why: 'asked for; its group ended; an immediate order found nothing more; good till canceled for 90 days',
    told: 'canceled',
  },
  expire: { why: 'its time in force is over', told: 'expired' },
  replace: { why: 'another order stands in its place', told: 'replaced' },
}

const meanings: Readonly<Record<OrderStatus, string>> = {
  accepted: 'queued until its session begins',
  pendingNew: 'on its way to the market',
  held: 'a leg that waits for its parent, or a stop-loss that waits for its trade',
  new: 'working; a stop of its own is `new` while it waits for its trade',
  partiallyFilled: 'working, some of it filled',
  filled: 'an end',
  canceled: 'an end; some of it may be filled',
  expired: 'an end; some of it may be filled',
  replaced: 'an end; `replaced_by` names the order in its place',
}

const all = Object.keys(moves) as OrderStatus[]
const steps = all.flatMap((from) =>
  (Object.entries(moves[from]) as [OrderMove, OrderStatus][]).map(([move, to]) => ({ from, move, to })),
)

/** How an order begins: by what it is, and when it comes. */
const beginnings: readonly (readonly [status: OrderStatus, when: string, told: string])[] = [
  [
    'pendingNew',
    'placed while its session runs, or before it on the same day; crypto at any hour',
    'pending_new',
  ],
  ['accepted', 'placed after its session, for the next one', 'accepted'],
  ['held', 'a leg of a bracket, an OCO or an OTO', 'held'],
]

const diagram = (): string =>
  [
    'stateDiagram-v2',
    ...beginnings.map(([status]) => `  [*] --> ${statuses[status]}`),
    ...steps.map(({ from, move, to }) => `  ${statuses[from]} --> ${statuses[to]}: ${move}`),
    ...all
      .filter((status) => Object.keys(moves[status]).length === 0)
      .map((status) => `  ${statuses[status]} --> [*]`),
  ].join('\n')

/** The life of an order: the diagram and the tables are the program's own. */
export const ordersPage = (): string => `${madeFrom('core/src/orders/transitions.ts')}

# The life of an order

\`\`\`mermaid
${diagram()}
\`\`\`

${table(
  ['Status', 'Meaning'],
  all.map((status) => [code(statuses[status]), meanings[status]]),
)}

## Beginnings

${table(
  ['Status', 'When', '`trade_updates`'],
  beginnings.map(([status, when, told]) => [code(statuses[status]), when, code(told)]),
)}

## Moves

${table(
  ['From', 'Move', 'To', 'Why', '`trade_updates`'],
  steps.map(({ from, move, to }) => [
    code(statuses[from]),
    move,
    code(statuses[to]),
    reasons[move].why,
    code(reasons[move].told),
  ]),
)}

What is not in this table does not happen: a move that a status does not have is a bug, and stops the world rather than to be
written. An end is never left. \`core/src/orders/transitions.spec.ts\` has a script for each row and tries every other.

Cancel and replace act at once, whatever the world's latency. So \`pending_cancel\`, \`pending_replace\` and
\`done_for_day\` never occur, and since whatever is refused is refused when it is placed, neither does \`rejected\`; nor do
\`accepted_for_bidding\`, \`stopped\`, \`suspended\`, \`calculated\` and \`pending_review\`. A cancel or a replacement of an order
that is no longer open is refused, so \`order_cancel_rejected\` and \`order_replace_rejected\` are never told.

## Without a move

- A stop that a trade reaches is elected; one of its own was \`new\` before and stays so, and nothing is told.
- A trailing stop that follows the best price shows it in \`hwm\` and \`stop_price\`; nothing is told.
- A stop-loss that becomes smaller because its take-profit was filled in part, and an order that a split restates, tell
  \`restated\`.

## Groups

${table(
  ['What happens', 'What follows, in the same moment'],
  [
    [
      'the entry of a bracket or an OTO is filled whole',
      'the take-profit works; the stop-loss, still `held`, waits for its trade',
    ],
    ['the take-profit of an OCO begins to work', 'the stop-loss waits for its trade'],
    ['a take-profit is filled in part', 'the stop-loss is as large as what is left'],
    ['a take-profit is filled whole', 'the stop-loss is canceled'],
    ['a trade reaches the stop-loss', 'the take-profit is canceled, the stop-loss works'],
    ['a member is canceled or expires', 'all others that are open are canceled'],
    [
      'a member is replaced',
      'the new one has its place; the others are as large as it, with what was filled of an entry before',
    ],
  ],
)}

An entry that is filled in part and canceled takes its legs with it: what was bought has no exits.

## Numbers

All that happens to an account is numbered by the account, from 1, without gaps; ids of orders and executions are made from that
number. The journal numbers all events of a world. \`event_id\` on the streams sorts as they do.
`
