import type { CallOf, ExplainStepRecord, ExplanationRecord, OrderRecord } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { type Command, type Context, UsageError } from '../command.ts'
import { type Column, columns, printList, printRecord, tableLines, utc } from '../output.ts'
import { accountIn } from './account.ts'

type Body = CallOf<'placeOrderForAccount'>['body']

const orderFlags = {
  notional: { placeholder: 'USD', about: 'Amount in dollars, instead of QTY.' },
  limit: { placeholder: 'PRICE', about: 'Limit price.' },
  stop: { placeholder: 'PRICE', about: 'Stop price.' },
  'trail-price': { placeholder: 'USD', about: 'Trailing stop, in dollars.' },
  'trail-percent': { placeholder: 'N', about: 'Trailing stop, in percent.' },
  'take-profit': { placeholder: 'PRICE', about: 'Exit with a gain at this limit price.' },
  'stop-loss': { placeholder: 'PRICE', about: 'Exit with a loss at this stop price.' },
  tif: {
    placeholder: 'day|gtc|ioc|fok|opg|cls',
    about: 'Time in force. Default: day; gtc for crypto pairs.',
  },
  'extended-hours': { about: 'Also trade before the open and after the close.' },
  'client-order-id': { placeholder: 'ID', about: 'Your own id. Placing it twice is refused.' },
} as const

/** The order that the flags describe. The server checks it. */
export function newOrder({ args }: Context): Body {
  const [side, symbol, qty] = [args.get('SIDE')!, args.get('SYMBOL')!, args.get('QTY')]
  const notional = args.get('notional')
  if (side !== 'buy' && side !== 'sell')
    throw new UsageError(`SIDE: expected buy or sell, received ${JSON.stringify(side)}`)
  if ((qty === undefined) === (notional === undefined))
    throw new UsageError('order place: expected QTY or --notional, e.g. quipu order place buy AAPL 10')
  const [profit, loss] = [args.get('take-profit'), args.get('stop-loss')]
  return {
    symbol,
    side,
    type: typeOf(args),
    time_in_force: (args.get('tif') ?? (symbol.includes('/') ? 'gtc' : 'day')) as Body['time_in_force'],
    ...definedFields({
      qty,
      notional,
      limit_price: args.get('limit'),
      stop_price: args.get('stop'),
      trail_price: args.get('trail-price'),
      trail_percent: args.get('trail-percent'),
      client_order_id: args.get('client-order-id'),
      extended_hours: args.has('extended-hours') ? true : undefined,
      order_class: profit !== undefined && loss !== undefined ? ('bracket' as const) : oneExit(profit, loss),
      take_profit: profit === undefined ? undefined : { limit_price: profit },
      stop_loss: loss === undefined ? undefined : { stop_price: loss },
    }),
  }
}

const oneExit = (profit: string | undefined, loss: string | undefined): 'oto' | undefined =>
  profit === undefined && loss === undefined ? undefined : 'oto'

function typeOf(args: Context['args']): Body['type'] {
  if (args.has('trail-price') || args.has('trail-percent')) return 'trailing_stop'
  if (args.has('stop')) return args.has('limit') ? 'stop_limit' : 'stop'
  return args.has('limit') ? 'limit' : 'market'
}

const account = { placeholder: 'ID', about: 'Account id. Default: the first account of the world.' } as const

export const orderCommands: readonly Command[] = [
  {
    name: 'order place',
    about: 'Place an order. Without a price it is a market order.',
    arguments: [
      { name: 'SIDE', about: 'buy or sell.' },
      { name: 'SYMBOL', about: 'For example AAPL or BTC/USD.' },
      { name: 'QTY', about: 'Number of shares or coins. Leave it out with --notional.', optional: true },
    ],
    flags: { account, ...orderFlags },
    operations: ['placeOrderForAccount', 'getWorld'],
    example: 'quipu order place buy AAPL 10 --limit 187.50',
    run: async (context) => {
      const { operator, json, print, width } = context
      const body = newOrder(context)
      const order = await operator().placeOrderForAccount({ ...(await accountIn(context)), body })
      print(json ? JSON.stringify(order) : tableLines([order], orderTable, width).join('\n'))
      return 0
    },
  },
  {
    name: 'order cancel',
    about: 'Cancel an open order of any account, or all open orders of one account.',
    arguments: [{ name: 'ID', about: 'Order id.', optional: true }],
    flags: { account, all: { about: 'Cancel all open orders of the account.' } },
    operations: ['cancelOrderForAccount', 'cancelAllOrdersForAccount', 'explainOrder', 'getWorld'],
    example: 'quipu order cancel 0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11',
    run: async (context) => {
      const { args, json, print } = context
      const id = args.get('ID')
      if ((id === undefined) === !args.has('all'))
        throw new UsageError('order cancel: expected an order ID, or --all')
      const canceled = id === undefined ? await cancelAll(context) : [await cancelOne(context, id)]
      if (json) print(JSON.stringify(canceled.map((one) => ({ id: one, canceled: true }))))
      else print(canceled.map((one) => `${one} is canceled`).join('\n') || 'no open orders')
      return 0
    },
  },
  {
    name: 'order list',
    about: 'List orders of an account, newest first.',
    flags: {
      account,
      status: { placeholder: 'open|closed|all', about: 'Which orders. Default: open.' },
      symbols: { placeholder: 'A,B', about: 'List orders of these symbols.' },
      limit: { placeholder: 'N', about: 'Number of orders, at most 500. Default: 50.' },
    },
    operations: ['listWorldOrders'],
    example: 'quipu order list --status all --world friday',
    run: async (context) => {
      const { operator, config, args } = context
      const call = { params: { world: config.world }, query: query(context) }
      const none = args.has('status') ? 'no orders' : 'no open orders; --status all lists the others'
      return printList(context, await operator().listWorldOrders(call), orderTable, none)
    },
  },
  {
    name: 'order show',
    about: 'Show one order of any account.',
    arguments: [{ name: 'ID', about: 'Order id.' }],
    operations: ['getWorldOrder'],
    example: 'quipu order show 0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11',
    run: async (context) => {
      const { operator, config, args, json } = context
      const params = { world: config.world, order_id: args.get('ID')! }
      const order = await operator().getWorldOrder({ params })
      return printRecord(context, json ? order : applicableFields(order))
    },
  },
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
      const { json, print } = context
      const explained = await explanationOf(context, context.args.get('ID')!)
      print(json ? JSON.stringify(explained) : explanationLines(explained).join('\n'))
      return 0
    },
  },
]

function query({ args }: Context) {
  return definedFields({
    account_id: args.get('account'),
    status: args.get('status') as 'open' | 'closed' | 'all' | undefined,
    symbols: args.get('symbols')?.split(','),
    limit: args.get('limit'),
  })
}

/** An order id is unique in its world, so the account need not be named. */
async function cancelOne(context: Context, id: string): Promise<string> {
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

async function cancelAll(context: Context): Promise<readonly string[]> {
  const canceled = await context.operator().cancelAllOrdersForAccount(await accountIn(context))
  return canceled.flatMap(({ id, status }) => (status === 200 ? [id] : []))
}

const orderTable: readonly Column<OrderRecord>[] = [
  ['ID', ({ id }) => id],
  ['ORDER', termsOf, 20],
  [
    'STATUS',
    ({ status, filled_qty: filled, qty }) =>
      status === 'partially_filled' ? `filled ${filled}/${qty}` : status,
  ],
  ['PLACED (UTC)', ({ submitted_at: at }) => utc(at)?.slice(0, 16)],
]

/** `buy 10 AAPL limit 187.50 gtc`; day is the default and omitted. */
function termsOf(order: OrderRecord): string {
  const prices = [
    order.stop_price && order.type !== 'trailing_stop' && `stop ${order.stop_price}`,
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
  { operator, config: { world } }: Context,
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
