// eval "$(npm run -s quipu -- env)" && npx node examples/first-order.ts
// A first order with the Quipu SDK: place the order, wait until it is filled, and print the account.
import { createQuipu } from '@quipu/sdk'

if (!process.env['APCA_API_KEY_ID']) throw new Error('first: eval "$(npm run -s quipu -- env)"')

// The SDK reads the URL and the key from the environment.
const quipu = createQuipu()

const order = await quipu.orders.submitAndWait({
  symbol: 'AAPL',
  qty: 2,
  side: 'buy',
  type: 'market',
})
console.log(`bought ${order.filledQty} ${order.symbol} at ${order.filledAvgPrice}`)

const { equity, buyingPower } = await quipu.account.get()
console.log(`equity ${equity}, buying power ${buyingPower}`)
