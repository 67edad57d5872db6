// eval "$(npm run -s quipu -- env --all)" && npx node examples/bot-in-a-world.ts
// A bot and its test. The world has a virtual clock, so a trading day takes a moment and every run gives the same result.
import assert from 'node:assert/strict'
import { type Client, createClient } from '@quipu/sdk'

/** The bot buys ten shares when the price is 0.5 % below the first price. */
class DipBuyer {
  readonly #client: Client
  #first: number | undefined

  constructor(client: Client) {
    this.#client = client
  }

  async checkPrice(): Promise<void> {
    const { trade } = await this.#client.stockLatestTradeSingle({ params: { symbol: 'TSLA' } })
    this.#first ??= trade!.p
    const positions = await this.#client.listPositions()
    if (positions.length > 0 || trade!.p > this.#first * 0.995) return
    await this.#client.placeOrder({
      body: { symbol: 'TSLA', qty: 10, side: 'buy', type: 'market', time_in_force: 'day' },
    })
  }
}

/** The test runs one trading day in steps of five minutes. */
async function runDay(operator: Client, url: string): Promise<readonly string[]> {
  const { world, accounts } = await operator.createWorld({
    body: { seed: 'dips', start: '2026-01-05T14:30:00Z', symbols: ['TSLA'], cash: 10_000 },
  })
  try {
    const [account] = accounts
    const client = createClient({ url, keyId: account!.key_id, secretKey: account!.secret_key })
    const bot = new DipBuyer(client)
    for (let minute = 0; minute < 390; minute += 5) {
      await bot.checkPrice()
      await operator.advanceClock({ params: { world }, body: { by: '5m' } })
    }
    const orders = await client.listOrders({ query: { status: 'all' } })
    return orders.map((order) => `${order.filled_at} ${order.filled_qty} at ${order.filled_avg_price}`)
  } finally {
    await operator.deleteWorld({ params: { world } })
  }
}

const { APCA_API_BASE_URL: url, QUIPU_BROKER_KEY: keyId, QUIPU_BROKER_SECRET: secretKey } = process.env
if (!url || !keyId || !secretKey) throw new Error('first: eval "$(npm run -s quipu -- env --all)"')
const operator = createClient({ url, keyId, secretKey })

const [firstRun, secondRun] = [await runDay(operator, url), await runDay(operator, url)]
console.log(firstRun)
assert.equal(firstRun.length, 1, 'the bot bought once')
assert.deepEqual(secondRun, firstRun, 'a second run gives the same result')
