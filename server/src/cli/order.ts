import type { ExplainStepRecord, ExplanationRecord, OrderRecord } from '@quipu/contract'
import type { Command, Context } from './command.ts'
import { UsageError } from './command.ts'
import { present } from './given.ts'
import { columns, recordLines } from './output.ts'

export const orderCommands: readonly Command[] = [
  {
    name: 'order list',
    about: 'Lists orders of an account, newest first.',
    flags: {
      account: { placeholder: 'ID', about: 'Whose; the first account of the world when left out.' },
      status: { placeholder: 'open|closed|all', about: 'Which; open when left out.' },
      symbols: { placeholder: 'A,B', about: 'Only these.' },
      limit: { placeholder: 'N', about: 'How many; 50 when left out.' },
    },
    operations: ['listWorldOrders'],
    example: 'quipu order list --status all --world friday',
    run: async (context) => {
      const { operator, config, json, say } = context
      const orders = await operator().listWorldOrders({
        params: { world: config.world },
        query: query(context),
      })
      say(json ? JSON.stringify(orders) : columns(orders.map(orderRow)).join('\n') || 'no orders')
      return 0
    },
  },
  {
    name: 'order show',
    about: 'Shows one order of any account.',
    arguments: [{ name: 'ID', about: 'Which one.' }],
    operations: ['getWorldOrder'],
    example: 'quipu order show 0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11',
    run: async ({ operator, config: { world }, given, json, say }) => {
      const order = await operator().getWorldOrder({ params: { world, order_id: given.get('ID')! } })
      say(json ? JSON.stringify(order) : recordLines(told(order)).join('\n'))
      return 0
    },
  },
  {
    name: 'order explain',
    about: 'Says why an order is what it is, or why a request was refused: every decision with its numbers.',
    arguments: [
      { name: 'ID', about: 'An order id, or the X-Request-ID of the answer that placed or refused it.' },
    ],
    operations: ['explainOrder', 'explainRequest'],
    example: 'quipu order explain 0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11',
    run: async (context) => {
      const { json, say } = context
      const explained = await explanationOf(context, context.given.get('ID')!)
      say(json ? JSON.stringify(explained) : explanationLines(explained).join('\n'))
      return 0
    },
  },
]

function query({ given }: Context) {
  return present({
    account_id: given.get('account'),
    status: given.get('status') as 'open' | 'closed' | 'all' | undefined,
    symbols: given.get('symbols')?.split(','),
    limit: given.get('limit'),
  })
}

const orderRow = (order: OrderRecord): readonly string[] => [
  order.id ?? '',
  order.submitted_at ?? '',
  order.status,
  `${order.side} ${order.qty ?? `${order.notional} USD of`} ${order.symbol}`,
  `${order.type}${order.limit_price ? ` ${order.limit_price}` : ''}`,
  order.time_in_force,
  `filled ${order.filled_qty}`,
]

/** What does not apply is left out. */
const told = (order: OrderRecord): Record<string, unknown> =>
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

/** To the millisecond: the journal has the rest. */
const shortTime = (at: string): string => at.replace(/(\.\d{3})\d+/, '$1')
