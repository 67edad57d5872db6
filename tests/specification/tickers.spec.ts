import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { broker, get, marketBuy, newWorld, placeOrder, type World } from './stage.ts'

const anyWorld = () => newWorld({ symbols: ['any'] })

async function pricesOf(world: World, symbol: string): Promise<readonly Body[]> {
  const range = 'timeframe=1Hour&start=2025-12-01&end=2026-01-02&limit=10000'
  return (await get(world, `/v2/stocks/bars?${range}&symbols=${symbol}`)).body.bars[symbol]
}

test('a real ticker has its name on first use, and prices from our estimates in any order', async () => {
  const [one, other] = [await anyWorld(), await anyWorld()]
  const { body: asset } = await get(one, '/v2/assets/SOFI')
  assert.deepEqual([asset.name, asset.exchange], ['SoFi Technologies, Inc. Common Stock', 'NASDAQ'])
  for (const symbol of ['DOCU', 'ZQXW', 'SOFI']) await get(other, `/v2/assets/${symbol}`)
  assert.deepEqual((await get(other, '/v2/assets/SOFI')).body, asset)
  const prices = await pricesOf(one, 'SOFI')
  assert.ok(prices.length > 100)
  for (const { c } of prices) assert.ok(c > 8 && c < 80, String(c))
  assert.deepEqual(await pricesOf(other, 'SOFI'), prices)
  await placeOrder(one, { ...marketBuy, symbol: 'SOFI' })
})

test('the event of a first use records name and estimates, so a journal does not need the table', async () => {
  const world = await anyWorld()
  for (const symbol of ['AMC', 'UPRO', 'ZQXW']) await get(world, `/v2/assets/${symbol}`)
  const path = `/sim/v1/worlds/${world.world}/events?limit=1000`
  const { body } = await callAsOperator(broker, 'GET', path)
  const [amc, upro, zqxw] = body.events
    .filter(({ kind }: Body) => kind === 'symbolAdded')
    .map(({ event }: Body) => event.added)
  assert.equal(amc.name, 'AMC Entertainment Holdings, Inc. Class A Common Stock')
  assert.deepEqual([amc.estimates.sector, amc.estimates.isFund], ['disc', false])
  assert.deepEqual([upro.name, upro.estimates.isFund], ['ProShares UltraPro S&P500', true])
  assert.deepEqual([zqxw.name, zqxw.estimates], [undefined, undefined])
})

test('a world without any has no ticker of the table, and any adds none before its first use', async () => {
  const [plain, any] = [await newWorld(), await anyWorld()]
  assert.equal((await get(plain, '/v2/assets/AMC')).status, 404)
  const symbols = async (world: World) =>
    (await get(world, '/v2/assets')).body.map(({ symbol }: Body) => symbol)
  assert.deepEqual(await symbols(any), await symbols(plain))
})

test('a start with symbols: any warns if main exists without it', async (t) => {
  const folder = newFolder()
  const warnings: boolean[] = []
  for (const symbols of ['ZQYV', 'any', 'ZQYV']) {
    const main = await startBroker(['--data', folder, '--symbols', symbols])
    t.after(() => main.kill())
    await main.stop()
    warnings.push(main.log().includes('symbols: any has no effect'))
  }
  assert.deepEqual(warnings, [false, true, false])
})
