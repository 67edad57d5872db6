// Reads the price of a coin and its balance every five minutes with ccxt, and buys once an hour. It knows nothing of Quipu.
import { alpaca } from 'ccxt'

const exchange = new alpaca({ apiKey: 'PKWRITTENINTOPROGRAM', secret: 'secret-of-the-program' })
exchange.setSandboxMode(true)
for (let look = 0; ; look += 1) {
  const { last } = await exchange.fetchTicker('BTC/USD')
  const { USD } = await exchange.fetchBalance()
  console.log(new Date(exchange.milliseconds()).toISOString(), last, USD.total)
  if (look % 12 === 0) await exchange.createOrder('BTC/USD', 'market', 'buy', 0.01)
  await exchange.sleep(5 * 60_000)
}
