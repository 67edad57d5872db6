import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { get, newWorld } from './stage.ts'

/** 01:30 in UTC on 4 May 2026: in New York it is still 3 May. */
const world = await newWorld({ start: '2026-05-04T01:30:00Z' })

async function times(list: string, query: string): Promise<readonly string[]> {
  const { status, body } = await get(world, `/v1beta3/crypto/us/${list}?symbols=BTC/USD&${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return (body[list]['BTC/USD'] ?? []).map(({ t }: Body) => t)
}

test('a date names a UTC day on crypto paths', async () => {
  assert.deepEqual(await times('bars', 'start=2026-05-02&end=2026-05-02&timeframe=1Day'), [
    '2026-05-02T00:00:00Z',
  ])
  const hours = await times('bars', 'start=2026-05-02&end=2026-05-02&timeframe=1Hour')
  assert.deepEqual(
    [hours.length, hours[0], hours.at(-1)],
    [24, '2026-05-02T00:00:00Z', '2026-05-02T23:00:00Z'],
  )
  for (const list of ['trades', 'quotes']) {
    const [first] = await times(list, 'start=2026-05-02&end=2026-05-02&limit=1')
    const [last] = await times(list, 'start=2026-05-02&end=2026-05-02&limit=1&sort=desc')
    assert.deepEqual([first?.slice(0, 13), last?.slice(0, 13)], ['2026-05-02T00', '2026-05-02T23'], list)
  }
})

test('without a start a list begins with the current UTC day', async () => {
  assert.deepEqual(await times('bars', 'timeframe=1Hour'), ['2026-05-04T00:00:00Z', '2026-05-04T01:00:00Z'])
  assert.deepEqual(await times('bars', 'timeframe=1Day'), ['2026-05-04T00:00:00Z'])
})

test('the daily candles for ccxt begin with the requested day', async () => {
  // The query of fetchOHLCV('BTC/USD', '1d', Date.UTC(2026, 3, 30), 3) in ccxt.
  const { status, body } = await get(
    world,
    '/v1beta3/crypto/us/bars?symbols=BTC%2FUSD&limit=3&start=2026-04-30&timeframe=1D',
  )
  assert.equal(status, 200)
  assert.deepEqual(
    body.bars['BTC/USD'].map(({ t }: Body) => t),
    ['2026-04-30T00:00:00Z', '2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z'],
  )
})

test('a date names a New York day on stock paths', async () => {
  const { body } = await get(
    world,
    '/v2/stocks/bars?symbols=AAPL&start=2026-05-01&end=2026-05-01&timeframe=1Day',
  )
  assert.deepEqual(
    body.bars.AAPL.map(({ t }: Body) => t),
    ['2026-05-01T04:00:00Z'],
  )
})
