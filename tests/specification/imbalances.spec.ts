import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../broker.ts'
import { get, openStream, world } from './stage.ts'

test('before the close, each minute of the last ten tells the price at which the auction would be held', async () => {
  const own = await world({ start: '2026-01-05T20:45:00Z' })
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: own.keyId, secret: own.secretKey })
  await client.request({ action: 'subscribe', imbalances: ['AAPL'] })
  await own.advance('20m')
  const heard = (await client.rest()).flat()
  assert.deepEqual(
    heard.map(({ t }: Body) => t),
    Array.from({ length: 10 }, (_, minute) => `2026-01-05T20:5${minute}:00Z`),
  )
  for (const message of heard) {
    assert.deepEqual(Object.keys(message), ['T', 'S', 'p', 'z', 't'])
    assert.deepEqual([message.T, message.S, message.z], ['i', 'AAPL', 'C'])
    const path = `/v2/stocks/AAPL/trades?start=2026-01-05T20:45:00Z&end=${message.t}&sort=desc&limit=1`
    assert.equal(message.p, (await get(own, path)).body.trades[0].p)
  }
  await client.close()
})
