// Buys two shares of AAPL, with three mistakes. Official SDK 4; it knows nothing of Quipu.
import { setTimeout as wait } from 'node:timers/promises'
import { Alpaca } from '@alpacahq/alpaca-trade-api'

const alpaca = new Alpaca({ keyId: 'PKWRITTENINTOPROGRAM', secret: 'secret', paper: true, timeoutMs: 3000 })
let filled = 0
const stream = alpaca.trading.stream()
// Mistake: a fill that comes twice is counted twice.
stream.onTradeUpdate((update) => {
  if (update.event === 'fill') filled += Number(update.qty)
})
stream.subscribeTradeUpdates()
stream.connect()
await new Promise((resolve) => stream.once('authenticated', resolve))

async function buy(qty) {
  const clientOrderId = `careless-${crypto.randomUUID()}`
  const terms = {
    symbol: 'AAPL',
    qty: String(qty),
    side: 'buy',
    type: 'market',
    timeInForce: 'day',
    clientOrderId,
  }
  try {
    await alpaca.trading.orders.postOrder({ postOrderRequest: terms })
  } catch {
    // Mistake: the order may exist, and another id is another order.
    await wait(300)
    await buy(qty)
  }
}

await buy(2)
// Mistake: it waits for the stream alone.
while (filled < 2) await wait(50)
if (filled > 2) {
  const excess = filled - 2
  const terms = { symbol: 'AAPL', qty: String(excess), side: 'sell', type: 'market', timeInForce: 'day' }
  await alpaca.trading.orders.postOrder({ postOrderRequest: terms })
}
stream.disconnect()
process.exit(0)
