import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ApiError } from '@alpacahq/alpaca-trade-api'
import type { NewFault } from '../../testing/src/kit.ts'
import { buy, type FaultWorld, newFaultWorld, streamsOf } from './fault-world.ts'

/** The channels of the messages that the official client receives in two minutes of the world. */
async function streamed(t: TestContext, { alpaca, world }: FaultWorld): Promise<readonly string[]> {
  const stream = alpaca.marketData.stockStream({ ...streamsOf(world).stocks, reconnect: false })
  t.after(() => stream.disconnect())
  const channels = new Set<string>()
  stream.onQuote(() => channels.add('quotes')).onTrade(() => channels.add('trades'))
  stream.onBar(() => channels.add('bars'))
  stream.subscribeForQuotes(['AAPL'])
  stream.subscribeForTrades(['AAPL'])
  stream.subscribeForBars(['AAPL'])
  const subscribed = new Promise((resolve) => stream.once('subscription', resolve))
  stream.connect()
  await subscribed
  await world.advance('2m')
  // The client has read everything when it has also received this close.
  const closed = new Promise<void>((resolve) => stream.onDisconnect(() => resolve()))
  await world.fault({ match: { stream: 'market_data' }, effect: { kind: 'close' } })
  await closed
  return [...channels].sort()
}

const quotePrice = async ({ alpaca }: FaultWorld) => {
  const { quote } = await alpaca.marketData.stocks.stockLatestQuoteSingle({ symbol: 'AAPL' })
  return quote.ap
}

test('outage: market data fails, trading goes on', async () => {
  const setup = await newFaultWorld({ match: { symbol: 'AAPL' }, effect: { kind: 'outage' } })
  const error = await quotePrice(setup).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof ApiError)
  assert.deepEqual([error.status, error.retryAfterMs], [503, 1000])
  await setup.consumed()
  await setup.alpaca.marketData.stocks.stockLatestQuoteSingle({ symbol: 'MSFT' })
  await buy(setup.alpaca, 'one')
  await setup.world.advance('1s')
  assert.equal((await setup.world.orders())[0]?.status, 'filled')
  await setup.consumed()
})

test('an outage silences the data streams until its end', async (t) => {
  const match = { to: '2026-01-05T15:10:00Z' }
  const setup = await newFaultWorld({ match, effect: { kind: 'outage', status: 500 } })
  assert.deepEqual(await streamed(t, setup), [])
  await setup.world.advance({ to: '2026-01-05T15:10:00Z' })
  assert.deepEqual(await streamed(t, setup), ['bars', 'quotes', 'trades'])
})

test('stale_quotes: the latest quote stays, and orders fill at the true price', async (t) => {
  const setup = await newFaultWorld({ effect: { kind: 'stale_quotes' } })
  const price = await quotePrice(setup)
  await setup.consumed()
  assert.deepEqual(await streamed(t, setup), ['bars'])
  await setup.world.advance('3h')
  assert.equal(await quotePrice(setup), price)
  await buy(setup.alpaca, 'one')
  await setup.world.advance('1s')
  const [order] = await setup.world.orders()
  assert.notEqual(Number(order?.filled_avg_price), price)
})

const mint = {
  underlyingSymbol: 'AAPL',
  qty: '1',
  issuer: 'xstocks',
  network: 'solana',
  walletAddress: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
} as const

/** Requests a mint with the official client, and returns its outcome after an hour of the world, or its error. */
async function mintWith(rule: NewFault): Promise<readonly [outcome: string | undefined, shares: string]> {
  const { world, alpaca, consumed } = await newFaultWorld(rule)
  await alpaca.trading.orders.market({ symbol: 'AAPL', qty: 3, side: 'buy' })
  await world.advance('1s')
  const refusal = await alpaca.trading.tokenization
    .postTokenizationMint({ tokenizationMintRequest: mint }, async ({ init }) => ({
      headers: { ...init.headers, 'Idempotency-Key': 'one' },
      body: init.body as never,
    }))
    .then(
      () => undefined,
      (error: Error) => error.message,
    )
  await world.advance('1h')
  const [request] = await alpaca.trading.tokenization.getTokenizationRequests()
  await consumed()
  return [refusal ?? request?.status, await world.position('AAPL')]
}

for (const [effect, call, outcome] of [
  [{ kind: 'call_refused', message: 'Closed' }, 'mint', ['Closed', '3']],
  [{ kind: 'call_refused' }, 'confirm', ['rejected', '3']],
  [{ kind: 'call_delayed', ms: 50 }, 'mint', ['completed', '2']],
  [{ kind: 'call_failed' }, 'chain_mint', ['completed', '2']],
  [{ kind: 'call_answer_lost' }, 'confirm', ['completed', '2']],
  [{ kind: 'call_answer_lost' }, 'chain_mint', ['completed', '2']],
] as const)
  test(`${effect.kind} of ${call}: a mint ends as ${outcome[0]}, with ${outcome[1]} shares left`, async () => {
    assert.deepEqual(await mintWith({ match: { call, symbol: 'AAPL' }, effect }), outcome)
  })
