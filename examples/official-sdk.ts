// The official TypeScript SDK: REST led here by `fetchApi`, streams by `url`.
import { Alpaca } from '@alpacahq/alpaca-trade-api'

// The SDK itself reads APCA_API_KEY_ID and APCA_API_SECRET_KEY.
const here = process.env['APCA_API_BASE_URL']
if (!here) throw new Error('first: eval "$(npm run -s quipu -- env)"')

const alpaca = new Alpaca({
  fetchApi: (url, init) => fetch(String(url).replace(/^https:\/\/[^/]+/, here), init),
})
console.log('the last price is', await alpaca.marketData.getLatestPrice('AAPL'))

const stream = alpaca.trading.stream({ url: `${here.replace(/^http/, 'ws')}/stream` })
stream.onTradeUpdate(({ event, order }) => console.log(event, order.symbol, order.clientOrderId))
stream.connect()

const filled = await alpaca.trading.submitAndWait(
  { type: 'market', symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId: crypto.randomUUID() },
  { stream },
)
console.log('filled at', filled.filledAvgPrice)
stream.disconnect()
