import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { get, newWorld, openStream } from './stage.ts'

test('each of the last ten minutes before the close has an imbalance with the auction price', async () => {
  const world = await newWorld({ start: '2026-01-05T20:45:00Z' })
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({ action: 'subscribe', imbalances: ['AAPL'] })
  await world.advance('20m')
  const received = (await client.rest()).flat()
  assert.deepEqual(
    received.map(({ t }: Body) => t),
    Array.from({ length: 10 }, (_, minute) => `2026-01-05T20:5${minute}:00Z`),
  )
  for (const message of received) {
    assert.deepEqual(Object.keys(message), ['T', 'S', 'p', 'z', 't'])
    assert.deepEqual([message.T, message.S, message.z], ['i', 'AAPL', 'C'])
    const path = `/v2/stocks/AAPL/trades?start=2026-01-05T20:45:00Z&end=${message.t}&sort=desc&limit=1`
    assert.equal(message.p, (await get(world, path)).body.trades[0].p)
  }
  await client.close()
})
