// Buys two shares of AAPL, once, whatever happens on the way. Official SDK 4; it knows nothing of Quipu.
import { setTimeout as wait } from 'node:timers/promises'
import { Alpaca } from '@alpacahq/alpaca-trade-api'

const alpaca = new Alpaca({ keyId: 'PKWRITTENINTOPROGRAM', secret: 'secret', paper: true, timeoutMs: 3000 })
const { orders } = alpaca.trading
const clientOrderId = 'careful-1'
const terms = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', timeInForce: 'day', clientOrderId }

const updates = new Set()
const stream = alpaca.trading.stream()
stream.onTradeUpdate((update) => updates.add(`${update.order.id} ${update.event}`))
stream.subscribeTradeUpdates()
stream.connect()
await new Promise((resolve) => stream.once('authenticated', resolve))

/** The order, or undefined if the broker does not have it. */
async function find() {
  for (;;)
    try {
      return await orders.getOrderByClientOrderId({ clientOrderId })
    } catch (error) {
      if (error.response?.status === 404 || error.status === 404) return undefined
      await wait(200)
    }
}

let order
while (!order)
  try {
    order = await orders.postOrder({ postOrderRequest: terms })
  } catch {
    // The order may exist although its response was lost: ask before it is sent again, with the same id.
    await wait(300)
    order = await find()
  }

// The stream is fast, but only the broker knows for certain.
while (order.status !== 'filled') {
  for (let waited = 0; waited < 10 && !updates.has(`${order.id} fill`); waited++) await wait(50)
  order = (await find()) ?? order
}
stream.disconnect()
process.exit(0)
