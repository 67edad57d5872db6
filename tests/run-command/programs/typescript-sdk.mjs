// A program with the preview of Alpaca's second TypeScript SDK. It knows nothing of Quipu.
import { createClient } from '@alpacahq/typescript-sdk'

const client = createClient({ key: 'PKWRITTENINTOPROGRAM', secret: 'secret-of-the-program', paper: true })
const account = await client.getAccount()
const order = await client.createOrder({
  symbol: 'AAPL',
  qty: 1,
  side: 'buy',
  type: 'market',
  time_in_force: 'day',
})
console.log(JSON.stringify({ cash: account.cash, order: order.symbol }))
process.exit(0)
