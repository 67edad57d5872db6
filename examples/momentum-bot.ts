// npm run -s quipu -- run -- npx node examples/momentum-bot.ts
// A bot that knows nothing of Quipu: it has the official SDK and the official hosts. `quipu run` sends its requests to a broker on
// this machine. The bot buys the two stocks that rose most in the last 60 days, for 5000 dollars each.
import { Alpaca, TimeFrame } from '@alpacahq/alpaca-trade-api'

const symbols = ['AAPL', 'AMZN', 'GOOGL', 'META', 'MSFT', 'NVDA', 'TSLA']
const DAYS = 60
const HELD = 2
const DOLLARS = 5000

// The SDK reads APCA_API_KEY_ID and APCA_API_SECRET_KEY by itself.
const alpaca = new Alpaca({ paper: true })

/** The return of a stock over the last days. */
async function momentum(symbol: string): Promise<number> {
  const start = new Date(Date.now() - DAYS * 86_400_000)
  const bars = await alpaca.marketData.getStockBarsFor(symbol, { timeframe: TimeFrame.Day, start })
  return bars.at(-1)!.close / bars[0]!.close - 1
}

const ranked = await Promise.all(symbols.map(async (symbol) => ({ symbol, rise: await momentum(symbol) })))
ranked.sort((left, right) => right.rise - left.rise)
for (const { symbol, rise } of ranked) console.log(`${symbol} ${(rise * 100).toFixed(1)} %`)

const stream = alpaca.trading.stream()
stream.connect()
for (const { symbol } of ranked.slice(0, HELD)) {
  const order = {
    type: 'market',
    symbol,
    notional: DOLLARS,
    side: 'buy',
    clientOrderId: crypto.randomUUID(),
  } as const
  const filled = await alpaca.trading.submitAndWait(order, { stream })
  console.log(`bought ${filled.filledQty} ${symbol} at ${filled.filledAvgPrice}`)
}
stream.disconnect()
