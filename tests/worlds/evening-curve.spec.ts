import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reader } from '../../server/src/http/testing/events.ts'
import { type Body, call, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { waitUntil } from '../support/wait-until.ts'

const firstMs = Date.parse('2026-01-05T20:00:00-05:00')

test('the curve of an account that was opened after the session follows its equity in every message', async () => {
  for (const hours of ['nyse', 'always']) await assertFollowed(hours)
})

async function assertFollowed(hours: string): Promise<void> {
  const lab = await newWorld(broker, { start: '2026-01-05T20:00:30-05:00', hours })
  const order = { symbol: 'BTC/USD', qty: '1', side: 'buy', type: 'market', time_in_force: 'gtc' }
  assert.equal((await call(lab, 'POST', '/v2/orders', order)).status, 200)
  const path = `/sim/v1/worlds/${lab.world}/accounts/${lab.accountId}/snapshot?curve=1D`
  const reader = new Reader(path, lab, { accept: 'text/event-stream' })
  await reader.waitFor(1)
  for (const by of ['5s', '7s', '9s', '40s', '3s', '2m']) {
    await lab.advance(by)
    const { body } = await call(lab, 'GET', path)
    const reached = await waitUntil('the stream has reached the instant', () =>
      reader.events.findIndex(({ time }) => time === body.time) < 0 ? undefined : reader.events,
    )
    assert.deepEqual(curveOf(reached), [body.curve.timestamp, body.curve.equity], `after ${by}`)
    const apart = body.curve.equity.at(-1) - Number(body.account.equity)
    // Points of a curve are whole cents.
    assert.ok(Math.abs(apart) < 0.0051, `${hours}, after ${by}: ${apart}`)
    // A market that never closes has a frame for each minute of the night.
    const frames = hours === 'always' ? 1 + Math.floor((Date.parse(body.time) - firstMs) / 60_000) : 1
    assert.equal(body.curve.equity.length, frames, `${hours}, after ${by}`)
  }
  reader.leave()
}

/** The curve of a stream: its last whole, with the points that came since. */
function curveOf(
  messages: readonly Body[],
): readonly [timestamps: readonly number[], equity: readonly number[]] {
  let points = new Map<number, number>()
  for (const { curve, curve_points: added } of messages) {
    if (curve) points = new Map()
    const { timestamp = [], equity = [] } = curve ?? added ?? {}
    for (const [row, at] of timestamp.entries()) points.set(at, equity[row])
  }
  return [[...points.keys()], [...points.values()]]
}
