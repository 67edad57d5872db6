import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { NewFault } from '../../testing/src/kit.ts'
import { newFaultWorld } from './fault-world.ts'

/** Our own SDK in a world with one fault rule. */
async function quipuWith(rule: NewFault, timeoutMs = 30_000) {
  const { world, consumed } = await newFaultWorld(rule)
  return { world, consumed, quipu: createQuipu({ ...world, retryDelayMs: 5, timeoutMs }) }
}

/** For effects without a response. A busy machine must answer the look-up in this time. */
const TIMEOUT_MS = 1_000

for (const [effect, outcome, timeoutMs] of [
  [{ kind: 'status', status: 503 }, 'placed again'],
  [{ kind: 'status', status: 504, applied: true }, 'found'],
  [{ kind: 'request_lost' }, 'placed again', TIMEOUT_MS],
  [{ kind: 'answer_lost' }, 'found', TIMEOUT_MS],
  [{ kind: 'reset' }, 'placed again'],
  [{ kind: 'reset', applied: true }, 'found'],
  [{ kind: 'truncated' }, 'found'],
  [{ kind: 'delay', client_timeout_ms: TIMEOUT_MS, applied: true }, 'found', TIMEOUT_MS],
] as const)
  test(`our SDK places exactly one order: ${JSON.stringify(effect)}`, async () => {
    const { world, quipu, consumed } = await quipuWith(
      { match: { operation: 'placeOrder' }, effect },
      timeoutMs,
    )
    const { placement } = await quipu.orders.market(
      { symbol: 'AAPL', qty: 1, side: 'buy', client_order_id: 'one' },
      { lookUpMs: 50 },
    )
    assert.equal(placement.outcome, outcome)
    assert.equal((await world.orders()).length, 1)
    await consumed()
  })

const fast = { reconnectMs: 5, reconnectMaxMs: 20, heartbeatMs: 50 }

async function updatesWith(t: TestContext, rule: NewFault): Promise<readonly string[]> {
  const { world, quipu, consumed } = await quipuWith(rule)
  const stream = quipu.streams.tradeUpdates(fast)
  t.after(() => stream.close())
  const events: string[] = []
  const filled = new Promise<void>((resolve) =>
    stream.onMessage(({ event, order }) => {
      events.push(`${order.client_order_id} ${event}`)
      if (event === 'fill' && order.client_order_id === 'two') resolve()
    }),
  )
  await stream.subscribe()
  for (const client_order_id of ['one', 'two']) {
    await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy', client_order_id })
    await world.advance('1s')
  }
  await filled
  await consumed()
  return events
}

for (const effect of [
  { kind: 'close', on: 'message' },
  { kind: 'half_open', on: 'message' },
  { kind: 'duplicate' },
] as const)
  test(`our SDK delivers every update once and in order after ${effect.kind}`, async (t) => {
    const events = await updatesWith(t, { match: { message: 'new', client_order_id: 'one' }, effect })
    assert.deepEqual(
      events,
      ['one', 'two'].flatMap((id) => ['pending_new', 'new', 'fill'].map((event) => `${id} ${event}`)),
    )
  })
