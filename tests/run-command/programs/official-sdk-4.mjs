// A program with the official SDK 4. It knows nothing of Quipu: its key is a key of the real broker.
import { Alpaca } from '@alpacahq/alpaca-trade-api'

const alpaca = new Alpaca({ keyId: 'PKWRITTENINTOPROGRAM', secret: 'secret-of-the-program', paper: true })
const account = await alpaca.trading.account.getAccount()
const stream = alpaca.trading.stream()
const filled = new Promise((resolve) =>
  stream.onTradeUpdate((update) => update.event === 'fill' && resolve(update.order.symbol)),
)
stream.subscribeTradeUpdates()
stream.connect()
await new Promise((resolve) => stream.once('authenticated', resolve))
const order = await alpaca.trading.orders.postOrder({
  postOrderRequest: { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', timeInForce: 'day' },
})
console.log(JSON.stringify({ cash: account.cash, order: order.symbol, filled: await filled }))
stream.disconnect()
process.exit(0)
