import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, ValidationError } from '@quipu/sdk'
import { broker } from '../support/shared-broker.ts'

const { url, brokerKey, brokerSecret } = broker
const operator = createClient({ url, keyId: brokerKey, secretKey: brokerSecret })

const RIVN = [
  { at: '2026-01-05T15:00:00Z', price: 14 },
  { at: '2026-01-05T15:02:00Z', price: '13.9', volume: 600 },
  { at: '2026-01-05T15:04:00Z', price: 12 },
  { at: '2026-01-06T14:30:00Z', price: 10 },
]

async function newWorld(body: object) {
  const created = await operator.createWorld({
    body: { start: '2026-01-05T15:00:00Z', fees: 'none', ...body },
  })
  const [{ key_id: keyId, secret_key: secretKey }] = created.accounts as [(typeof created.accounts)[0]]
  return { params: { world: created.world }, created, account: createClient({ url, keyId, secretKey }) }
}

const bars = async (account: ReturnType<typeof createClient>, symbol: string, end: string) => {
  const query = { timeframe: '1Min', start: '2026-01-05T14:00:00Z', end }
  const page = await account.stockBarSingle({ params: { symbol }, query })
  return page.bars.map(({ t, o, c, v }) => [t.slice(8, 16), o, c, v])
}

test('the price moves in straight lines within a day, and stays until the next day', async () => {
  const { params, created, account } = await newWorld({ prices: { RIVN } })
  assert.deepEqual(created.prices, ['RIVN'])
  await operator.advanceClock({ params, body: { to: '2026-01-06T14:40:00Z' } })
  assert.deepEqual(await bars(account, 'RIVN', '2026-01-06T14:31:00Z'), [
    ['05T15:00', 14, 13.95, 12_000],
    ['05T15:01', 13.95, 13.9, 12_000],
    ['05T15:02', 13.9, 12.95, 600],
    ['05T15:03', 12.95, 12, 600],
    ['05T15:04', 12, 12, 12_000],
    ['06T14:30', 10, 10, 12_000],
  ])
})

test('orders fill at the prices of a path, and generated prices continue from the last one', async () => {
  const { params, account } = await newWorld({ prices: { RIVN } })
  const order = { symbol: 'RIVN', side: 'buy', type: 'market', time_in_force: 'day', qty: '1' } as const
  const { id } = await account.placeOrder({ body: order })
  await operator.advanceClock({ params, body: { by: '1s' } })
  assert.equal((await account.getOrder({ params: { order_id: id } })).filled_avg_price, '14.01')
  await operator.advanceClock({ params, body: { to: '2026-01-07T16:00:00Z' } })
  const position = await account.getPosition({ params: { symbol_or_asset_id: 'RIVN' } })
  assert.ok(Math.abs(Number(position.current_price) / 10 - 1) < 0.2, `${position.current_price}`)
})

test('a replay world has its price paths alone', async () => {
  const { params, account } = await newWorld({ market: 'replay', prices: { XXYZ: RIVN } })
  const assets = await account.listAssets({})
  assert.deepEqual(
    assets.map(({ symbol }) => symbol),
    ['XXYZ'],
  )
  await operator.advanceClock({ params, body: { by: '9d' } })
  const order = { symbol: 'XXYZ', side: 'buy', type: 'market', time_in_force: 'day', qty: '2' } as const
  const { id } = await account.placeOrder({ body: order })
  await operator.advanceClock({ params, body: { by: '1s' } })
  assert.equal((await account.getOrder({ params: { order_id: id } })).status, 'filled')
})

test('a world keeps its price paths in its journal: a fork has them too', async () => {
  const { params } = await newWorld({ symbols: ['AAPL'], prices: { RIVN } })
  const fork = await operator.forkWorld({ params, body: {} })
  const [{ key_id: keyId, secret_key: secretKey }] = fork.accounts as [(typeof fork.accounts)[0]]
  await operator.advanceClock({ params: { world: fork.world }, body: { by: '2m' } })
  const found = await bars(createClient({ url, keyId, secretKey }), 'RIVN', '2026-01-05T15:00:00Z')
  assert.deepEqual(found, [['05T15:00', 14, 13.95, 12_000]])
  assert.deepEqual([fork.symbols, fork.prices], [['AAPL', 'RIVN'], ['RIVN']])
})

for (const [prices, problem] of [
  [{ RIVN: [] }, /prices: expected at least one point/],
  [{ RIVN: [RIVN[1], RIVN[0]] }, /later than the one before/],
  [{ RIVN: [{ at: '2026-01-05T15:00:01Z', price: 1 }] }, /each at a whole minute/],
  [{ RIVN: [{ at: '2026-01-05T15:00:00Z', price: 0 }] }, /price must be > 0/],
  [{ RIVN: [{ at: '2026-01-05T15:00:00Z', price: 0.001 }] }, /price/],
  [{ 'not a symbol': RIVN }, /symbol/],
  [
    {
      RIVN: Array.from({ length: 200 }, (_, day) => ({
        at: new Date(day * 86_400_000).toISOString(),
        price: 1,
      })),
    },
    /at most 200000 minutes/,
  ],
] as const)
  test(`${JSON.stringify(prices).slice(0, 60)} is refused`, async () => {
    const before = (await operator.listWorlds()).length
    await assert.rejects(newWorld({ prices }), (error) => {
      assert.ok(error instanceof ValidationError, String(error))
      assert.match(error.message, problem)
      return true
    })
    assert.equal((await operator.listWorlds()).length, before)
  })
