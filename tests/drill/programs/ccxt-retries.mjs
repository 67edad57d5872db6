// Buys bitcoin with ccxt and its own retries, and waits until they are bought. It knows nothing of Quipu.
import { setTimeout as wait } from 'node:timers/promises'
import { alpaca } from 'ccxt'

const exchange = new alpaca({
  apiKey: 'PKWRITTENINTOPROGRAM',
  secret: 'secret',
  timeout: 3000,
  options: { maxRetriesOnFailure: 3, maxRetriesOnFailureDelay: 300 },
})
exchange.setSandboxMode(true)
let order = await exchange.createOrder('BTC/USD', 'market', 'buy', 0.01)
while (order.status !== 'closed') {
  await wait(100)
  order = await exchange.fetchOrder(order.id)
}
