// eval "$(npm run -s quipu -- env)" && npx node examples/stream.ts
// Two live streams: quotes of a stock, and the updates of an order until it is filled.
import { createQuipu } from '@quipu/sdk'

if (!process.env['APCA_API_KEY_ID']) throw new Error('first: eval "$(npm run -s quipu -- env)"')

const quipu = createQuipu()

const quotes = quipu.streams.marketData('iex')
await quotes.subscribe({ quotes: ['AAPL'] })
for await (const message of quotes) {
  if (message.T !== 'q') continue
  console.log(`${message.S} bid ${message.bp} ask ${message.ap}`)
  break
}
quotes.close()

const updates = quipu.streams.tradeUpdates()
// The subscription is acknowledged before the order is placed, so no update is missed.
await updates.subscribe()
await quipu.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy' })
for await (const { event, order } of updates) {
  console.log(`${event} ${order.symbol} ${order.filledQty} of ${order.qty}`)
  if (event === 'fill') break
}
updates.close()
