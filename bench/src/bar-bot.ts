import { Alpaca, TimeFrame } from '@alpacahq/alpaca-trade-api'

/**
 * A bot with the official SDK. `minutes`: follows one-minute bars and places an order every 100 bars. `days`: reads bars
 * and positions after each close. With a URL in BENCH_URL it connects without `quipu run`, and without its own limiter.
 */
const url = process.env['BENCH_URL']
const alpaca = new Alpaca({
  paper: true,
  ...(url && {
    rateLimit: false as const,
    fetchApi: (target: unknown, init?: RequestInit) =>
      fetch(String(target).replace(/^https:\/\/[^/]+/, url), init),
  }),
})

const BARS_PER_ORDER = 100
const DAY_MS = 86_400_000
let count = 0

function followMinutes(): void {
  const stream = alpaca.marketData.stockStream(
    url ? { url: `${url.replace(/^http/, 'ws')}/v2/iex` } : { feed: 'iex' },
  )
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', timeInForce: 'day' } as const
  stream.onBar(() => {
    count += 1
    if (count % BARS_PER_ORDER === 0)
      void alpaca.trading.orders.postOrder({ postOrderRequest: order }).catch(() => undefined)
  })
  stream.on('subscription', () => process.send?.('ready'))
  stream.onConnect(() => stream.subscribeForBars(['AAPL']))
  stream.connect()
}

async function followDays(): Promise<void> {
  const { nextClose } = await alpaca.trading.clock.legacyClock()
  setTimeout(async () => {
    const start = new Date(Date.now() - 30 * DAY_MS)
    await alpaca.marketData.getStockBarsFor('AAPL', { timeframe: TimeFrame.Day, start })
    await alpaca.trading.positions.getAllOpenPositions()
    count += 1
    await followDays()
  }, nextClose.getTime() - Date.now())
}

process.on('SIGTERM', () => {
  console.log(JSON.stringify({ count, cpuMicros: process.cpuUsage().user + process.cpuUsage().system }))
  process.exit(0)
})
if (process.argv[2] === 'days') await followDays()
else followMinutes()
