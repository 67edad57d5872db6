// eval "$(npm run -s quipu -- env)" && npx node examples/official-sdk.ts
// The official Alpaca SDK for TypeScript. `fetchApi` sends REST calls to Quipu, `url` does the same for streams.
import { Alpaca } from '@alpacahq/alpaca-trade-api'

// The SDK reads APCA_API_KEY_ID and APCA_API_SECRET_KEY by itself.
const quipuUrl = process.env['APCA_API_BASE_URL']
if (!quipuUrl) throw new Error('first: eval "$(npm run -s quipu -- env)"')

const alpaca = new Alpaca({
  fetchApi: (url, init) => fetch(String(url).replace(/^https:\/\/[^/]+/, quipuUrl), init),
})
console.log('the last price is', await alpaca.marketData.getLatestPrice('AAPL'))

const stream = alpaca.trading.stream({ url: `${quipuUrl.replace(/^http/, 'ws')}/stream` })
stream.onTradeUpdate(({ event, order }) => console.log(event, order.symbol, order.clientOrderId))
stream.connect()

const filled = await alpaca.trading.submitAndWait(
  { type: 'market', symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId: crypto.randomUUID() },
  { stream },
)
console.log('filled at', filled.filledAvgPrice)
stream.disconnect()
