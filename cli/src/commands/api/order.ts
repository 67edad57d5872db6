import {
  type CallOf,
  type ExplainStepRecord,
  type ExplanationRecord,
  type OrderPrice,
  type OrderRecord,
  orderTypeWith,
  pricesOfType,
  type WhatIfFillRecord,
  type WhatIfRecord,
} from '@quipu/contract'
import { entryIn } from '@quipu/core/values'
import { calling } from '../call.ts'
import { type CliCommand, type CommandContext, type Flag, UsageError } from '../command.ts'
import { type Column, columns, printList, printRecord, printText, tableLines, utc } from '../output.ts'
import { commaSeparated } from '../values.ts'
import { accountFlag as account, accountIn } from './account.ts'
import { afterShortWait, outcomeText } from './order-outcome.ts'

type Body = CallOf<'placeOrderForAccount'>['body']

/** Arguments, fields that follow from flags, and fields of orders that the server does not trade or ignores. */
type FieldWithoutFlag =
  | ('symbol' | 'side' | 'qty')
  | ('type' | 'order_class')
  | ('position_intent' | 'legs' | 'advanced_instructions')
/** The flag of a field. A new field stops the build until it has one. */
type FlagOf<Field extends string> = Field extends keyof ShortFlags ? ShortFlags[Field] : WithHyphens<Field>
type ShortFlags = {
  readonly limit_price: 'limit'
  readonly stop_price: 'stop'
  readonly time_in_force: 'tif'
}
type WithHyphens<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}-${WithHyphens<Rest>}`
  : Name

const orderFlags = {
  notional: { placeholder: 'USD', about: 'Amount in dollars, instead of QTY.' },
  limit: { placeholder: 'PRICE', about: 'Limit price.', field: 'limit_price' },
  stop: { placeholder: 'PRICE', about: 'Stop price.', field: 'stop_price' },
  'trail-price': { placeholder: 'USD', about: 'Trailing stop, in dollars.' },
  'trail-percent': { placeholder: 'N', about: 'Trailing stop, in percent.' },
  'take-profit': {
    placeholder: 'PRICE',
    about: 'Exit with a gain at this limit price.',
    value: (limit_price: string) => ({ limit_price }),
  },
  'stop-loss': {
    placeholder: 'PRICE',
    about: 'Exit with a loss at this stop price.',
    value: (stop_price: string) => ({ stop_price }),
  },
  tif: {
    placeholder: 'day|gtc|ioc|fok|opg|cls',
    about: 'Time in force. Default: day; gtc for crypto pairs.',
    field: 'time_in_force',
  },
  'extended-hours': { about: 'Also trade before the open and after the close.' },
  'client-order-id': { placeholder: 'ID', about: 'Your own id. Placing it twice is refused.' },
} as const satisfies Readonly<Record<FlagOf<Exclude<keyof Body, FieldWithoutFlag>>, Flag>>

/** The account, and the fields that follow from the other flags. */
async function otherOrderFields(context: CommandContext) {
  const { args } = context
  const side = args.get('SIDE')
  if (side !== 'buy' && side !== 'sell')
    throw new UsageError(`SIDE: expected buy or sell, received ${JSON.stringify(side)}`)
  if (args.has('QTY') === args.has('notional'))
    throw new UsageError('order place: expected QTY or --notional, e.g. quipu order place buy AAPL 10')
  return {
    ...(await accountIn(context)),
    type: orderTypeWith((price) => priceFlags[price].some((flag) => args.has(flag))),
    time_in_force: entryIn(args, 'SYMBOL').includes('/') ? 'gtc' : 'day',
    order_class: orderClassOf(args),
  }
}

function orderClassOf(args: CommandContext['args']): Body['order_class'] {
  const exits = ['take-profit', 'stop-loss'].filter((exit) => args.has(exit))
  return exits.length === 0 ? undefined : exits.length === 1 ? 'oto' : 'bracket'
}

const priceFlags: Readonly<Record<OrderPrice, readonly string[]>> = {
  limit_price: ['limit'],
  stop_price: ['stop'],
  trail: ['trail-price', 'trail-percent'],
}

export const orderCommands: readonly CliCommand[] = [
  calling('placeOrderForAccount', {
    name: 'order place',
    about:
      'Place an order, and show its fill if the market fills it at once. Without a price it is a market order.',
    arguments: [
      { name: 'SIDE', about: 'buy or sell.' },
      { name: 'SYMBOL', about: 'For example AAPL or BTC/USD.' },
      { name: 'QTY', about: 'Number of shares or coins. Leave it out with --notional.', optional: true },
    ],
    flags: { account, ...orderFlags },
    otherFields: otherOrderFields,
    alsoCalls: ['getWorld', 'getWorldOrder'],
    example: 'quipu order place buy AAPL 10 --limit 187.50',
    print: async (context, placed) => {
      const order = await afterShortWait(context, placed)
      return printText(context, order, ...tableLines([order], orderTable, context.width))
    },
  }),
  {
    name: 'order cancel',
    about: 'Cancel an open order of any account, or all open orders of one account.',
    arguments: [{ name: 'ID', about: 'Order id.', optional: true }],
    flags: { account, all: { about: 'Cancel all open orders of the account.' } },
    operations: ['cancelOrderForAccount', 'cancelAllOrdersForAccount', 'explainOrder', 'getWorld'],
    example: 'quipu order cancel 0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11',
    run: async (context) => {
      const { args } = context
      const id = args.get('ID')
      if ((id === undefined) === !args.has('all'))
        throw new UsageError('order cancel: expected an order ID, or --all')
      const canceled = id === undefined ? await cancelAll(context) : [await cancelOne(context, id)]
      const records = canceled.map((one) => ({ id: one, canceled: true }))
      if (canceled.length === 0) return printText(context, records, 'no open orders')
      return printText(context, records, ...canceled.map((one) => `${one} is canceled`))
    },
  },
  calling('listWorldOrders', {
    name: 'order list',
    about: 'List orders of an account, newest first.',
    flags: {
      account,
      status: { placeholder: 'open|closed|all', about: 'Which orders. Default: open.' },
      symbols: { placeholder: 'A,B', about: 'List orders of these symbols.', value: commaSeparated },
      limit: { placeholder: 'N', about: 'Number of orders, at most 500. Default: 50.' },
    },
    otherFields: accountIn,
    alsoCalls: ['getWorld'],
    example: 'quipu order list --status all --world friday',
    print: (context, orders) => {
      const none = context.args.has('status') ? 'no orders' : 'no open orders; --status all lists the others'
      return printList(context, orders, orderTable, none)
    },
  }),
  calling('getWorldOrder', {
    name: 'order show',
    about: 'Show one order of any account.',
    arguments: [{ name: 'ID', about: 'Order id.', field: 'order_id' }],
    example: 'quipu order show 0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11',
    print: (context, order) => printRecord(context, context.json ? order : applicableFields(order)),
  }),
  {
    name: 'order explain',
    about:
      'Explain why an order has its status, or why a request was refused: every decision with its numbers.',
    arguments: [
      { name: 'ID', about: 'Order id, or the X-Request-ID of the response that placed or refused it.' },
    ],
    operations: ['explainOrder', 'explainRequest'],
    example: 'quipu order explain 0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11',
    run: async (context) => {
      const explained = await explanationOf(context, entryIn(context.args, 'ID'))
      return printText(context, explained, ...explanationLines(explained))
    },
  },
  {
    name: 'order what-if',
    about: 'Compute the fill that an order would have had with other limit prices. Creates nothing.',
    arguments: [{ name: 'ID', about: 'Order id, or the X-Request-ID of a refused order.' }],
    flags: {
      limits: {
        placeholder: 'A,B',
        about: 'Limit prices, at most 100. Default: about 21 prices up to the best of the market.',
      },
    },
    operations: ['whatIfOrder', 'whatIfRequest'],
    example: 'quipu order what-if 0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11 --limits 187.50,187.80',
    run: async (context) => {
      const found = await whatIfOf(context, entryIn(context.args, 'ID'))
      const { unavailable, complete, exact } = found
      const notes = [
        ...(unavailable === undefined ? [] : [`no fills: ${unavailable}`]),
        ...(complete ? [] : ['the time was over before all limits were computed']),
        ...(exact ? [] : ['the delays and fill models of the venue settings are not applied']),
      ]
      return printText(context, found, ...tableLines(found.fills, whatIfTable, context.width), ...notes)
    },
  },
]

const whatIfTable: readonly Column<WhatIfFillRecord>[] = [
  ['LIMIT', ({ limit_price }) => limit_price],
  ['OUTCOME', ({ outcome }) => outcome.replace('_', ' ')],
  ['FILLED', ({ filled_qty }) => filled_qty],
  ['AVERAGE', ({ filled_avg_price }) => filled_avg_price],
  ['AT (UTC)', ({ last_at }) => utc(last_at)],
]

function whatIfOf({ operator, config: { world }, args }: CommandContext, id: string): Promise<WhatIfRecord> {
  const limits = args.get('limits')
  const query = limits === undefined ? {} : { limit_prices: commaSeparated(limits) }
  if (REQUEST_ID.test(id)) return operator().whatIfRequest({ params: { world, request_id: id }, query })
  if (ORDER_ID.test(id)) return operator().whatIfOrder({ params: { world, order_id: id }, query })
  throw new UsageError(`ID: expected an order id or a request id of 32 hexadecimal digits, received "${id}"`)
}

/** An order id is unique in its world, so the account need not be named. */
async function cancelOne(context: CommandContext, id: string): Promise<string> {
  const { operator, config, args } = context
  const { world } = config
  if (!ORDER_ID.test(id)) throw new UsageError(`ID: expected an order id, received "${id}"`)
  const owner =
    args.get('account') ?? (await operator().explainOrder({ params: { world, order_id: id } })).account_id
  await operator().cancelOrderForAccount({
    headers: { 'x-quipu-world': world },
    params: { account_id: owner!, order_id: id },
  })
  return id
}

async function cancelAll(context: CommandContext): Promise<readonly string[]> {
  const canceled = await context.operator().cancelAllOrdersForAccount({
    headers: { 'x-quipu-world': context.config.world },
    params: await accountIn(context),
  })
  return canceled.flatMap(({ id, status }) => (status === 200 ? [id] : []))
}

const orderTable: readonly Column<OrderRecord>[] = [
  ['ID', ({ id }) => id],
  ['ORDER', termsOf, 20],
  ['STATUS', outcomeText],
  ['PLACED (UTC)', ({ submitted_at: at }) => utc(at)?.slice(0, 16)],
]

/** `buy 10 AAPL limit 187.50 gtc`; day is the default and omitted. */
function termsOf(order: OrderRecord): string {
  const prices = [
    order.stop_price && pricesOfType(order.type).includes('stop_price') && `stop ${order.stop_price}`,
    order.limit_price && `limit ${order.limit_price}`,
    order.trail_price && `trail ${order.trail_price}`,
    order.trail_percent && `trail ${order.trail_percent}%`,
  ].filter(Boolean)
  return [
    `${order.side} ${order.qty ?? `$${order.notional}`} ${order.symbol}`,
    ...(prices.length > 0 ? prices : [order.type]),
    ...(order.time_in_force === 'day' ? [] : [order.time_in_force]),
  ].join(' ')
}

/** Without fields that do not apply. */
const applicableFields = (order: OrderRecord): Record<string, unknown> =>
  Object.fromEntries(Object.entries(order).filter(([, value]) => value !== null && value !== ''))

const REQUEST_ID = /^[0-9a-f]{32}$/
const ORDER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function explanationOf(
  { operator, config: { world } }: CommandContext,
  id: string,
): Promise<ExplanationRecord> {
  if (REQUEST_ID.test(id)) return operator().explainRequest({ params: { world, request_id: id } })
  if (ORDER_ID.test(id)) return operator().explainOrder({ params: { world, order_id: id } })
  throw new UsageError(`ID: expected an order id or a request id of 32 hexadecimal digits, received "${id}"`)
}

function explanationLines({ summary, steps, counterfactual }: ExplanationRecord): readonly string[] {
  const otherwise = counterfactual.length === 0 ? [] : ['', 'What would have been:', ...lines(counterfactual)]
  return [summary, '', ...lines(steps), ...otherwise]
}

const lines = (steps: readonly ExplainStepRecord[]): readonly string[] =>
  columns(steps.map(({ at, code, sentence }) => [`  ${shortTime(at)}`, code, sentence]))

/** To the millisecond; the journal has the rest. */
const shortTime = (at: string): string => at.replace(/(\.\d{3})\d+/, '$1')
