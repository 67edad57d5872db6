// npm run -s quipu -- run --from 2025-01-02 --to 2025-12-31 --step 1d -- npx node examples/bot/bot.ts
// A bot that knows nothing of Quipu: it has the official SDK and the official hosts. Ten minutes before each close it holds the stocks
// that are above their mean of 20 days, for 5000 dollars each, and sells the others. `bot.ts once` buys the strongest one now and ends.
import { setTimeout as wait } from 'node:timers/promises'
import { Alpaca, TimeFrame } from '@alpacahq/alpaca-trade-api'

const symbols = ['AAPL', 'MSFT', 'NVDA']
const DAYS = 20
const DOLLARS = 5000
const DAY_MS = 86_400_000
const BEFORE_CLOSE_MS = 600_000

// The SDK reads APCA_API_KEY_ID and APCA_API_SECRET_KEY by itself.
const alpaca = new Alpaca({ paper: true, timeoutMs: 2000 })
const { orders, positions, clock } = alpaca.trading

/** Repeats a question until the broker answers it. Asking twice changes nothing. */
async function ask<Response>(question: () => Promise<Response>): Promise<Response> {
  for (;;)
    try {
      return await question()
    } catch (error) {
      if (statusOf(error) === 404) throw error
      await wait(200)
    }
}

const statusOf = (error: unknown): number | undefined => {
  const { status, response } = error as { status?: number; response?: { status?: number } }
  return status ?? response?.status
}

/** The order with this id, or undefined if the broker does not have it. */
const find = (clientOrderId: string) =>
  ask(() => orders.getOrderByClientOrderId({ clientOrderId })).catch(() => undefined)

/** Places an order exactly once: the response may be lost although the order was placed, so the bot looks before it repeats. */
async function place(symbol: string, side: 'buy' | 'sell', qty: string): Promise<void> {
  const clientOrderId = `${today()}-${side}-${symbol}`
  const terms = { symbol, qty, side, type: 'market', timeInForce: 'day', clientOrderId } as const
  let order: Awaited<ReturnType<typeof find>>
  while (!order)
    try {
      order = await orders.postOrder({ postOrderRequest: terms })
    } catch (error) {
      const status = statusOf(error) ?? 500
      const isRefused = status < 500 && status !== 408 && status !== 429
      if (!isRefused) await wait(500)
      // After a restart the id may be refused because the order exists.
      order = await find(clientOrderId)
      // A clear refusal: the account has no buying power, or the symbol is halted.
      if (!order && isRefused) return console.log(`${clientOrderId} refused: ${status}`)
    }
  const ended = ['filled', 'canceled', 'expired', 'rejected']
  // The stream of updates is faster, but only the broker knows for certain.
  for (let polls = 0; polls < 20 && !ended.includes(order.status ?? ''); polls++) {
    await wait(250)
    order = (await find(clientOrderId)) ?? order
  }
  console.log(`${clientOrderId} ${order.filledQty} at ${order.filledAvgPrice}`)
}

const today = (): string => new Date().toISOString().slice(0, 10)

/** The last price of a stock, and the mean of its closes. */
async function trendOf(symbol: string) {
  const query = { timeframe: TimeFrame.Day, start: new Date(Date.now() - 2 * DAYS * DAY_MS) }
  const bars = (await ask(() => alpaca.marketData.getStockBarsFor(symbol, query))).slice(-DAYS)
  const mean = bars.reduce((sum, { close }) => sum + close, 0) / bars.length
  return { symbol, price: bars.at(-1)!.close, mean }
}

async function trade(): Promise<void> {
  const held = new Map((await ask(() => positions.getAllOpenPositions())).map((one) => [one.symbol, one.qty]))
  for (const wanted of symbols) {
    const { symbol, price, mean } = await trendOf(wanted)
    const qty = held.get(symbol)
    if (price > mean && qty === undefined) await place(symbol, 'buy', String(Math.floor(DOLLARS / price)))
    if (price < mean && qty !== undefined) await place(symbol, 'sell', qty)
  }
}

/** Buys the strongest stock. */
async function tradeOnce(): Promise<void> {
  const trends = []
  for (const symbol of symbols) trends.push(await trendOf(symbol))
  const [best] = trends.sort((a, b) => b.price / b.mean - a.price / a.mean)
  await place(best!.symbol, 'buy', String(Math.floor(DOLLARS / best!.price)))
}

if (process.argv[2] === 'once') await tradeOnce()
else
  for (;;) {
    const { nextClose } = await ask(() => clock.legacyClock())
    const due = nextClose.getTime() - BEFORE_CLOSE_MS
    await wait(Math.max(due - Date.now(), BEFORE_CLOSE_MS))
    if (Date.now() < nextClose.getTime()) await trade()
  }
