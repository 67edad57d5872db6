import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallOf, Handlers, InputOf, OutputOf } from './operations.ts'

// The compiler checks this file: each line with @ts-expect-error must be an error.

type Caller = { readonly accountId: string }

const some: Handlers<Caller, 'cancelOrder' | 'getOrderByClientOrderId' | 'getMetrics'> = {
  cancelOrder: ({ params }, { accountId }) => void [params.order_id.length, accountId.length],
  // @ts-expect-error wrong type of the response
  getOrderByClientOrderId: ({ query }) => ({ id: query.client_order_id }),
  getMetrics: async () => 'quipu 1\n',
}

// @ts-expect-error a handler is missing
const missing: Handlers<Caller, 'cancelOrder' | 'getHealth'> = { getHealth: () => ({ status: 'ok' }) }

type Body = InputOf<'placeOrder'>['body']
const read: Pick<Body, 'qty' | 'extended_hours' | 'order_class'> = {
  qty: '1',
  extended_hours: false,
  order_class: '',
}
// @ts-expect-error parsed decimals are text
const number: Body['qty'] = 1

const call: CallOf<'placeOrder'> = {
  headers: {},
  body: { symbol: 'AAPL', qty: 1, side: 'buy', type: 'market', time_in_force: 'day' },
}
// @ts-expect-error the type of an order is required
const short: CallOf<'placeOrder'> = { headers: {}, body: { symbol: 'AAPL', time_in_force: 'day' } }

const empty: OutputOf<'cancelOrder'> = undefined
// @ts-expect-error no such status
const status: OutputOf<'getOrder'>['status'] = 'done'

test('handlers, calls and responses have the declared types', () => {
  const all = [some, missing, read, number, call, short, empty, status]
  assert.equal(all.length, 8)
})
