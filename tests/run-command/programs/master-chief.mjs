// A program with @master-chief/alpaca. It knows nothing of Quipu.
import { AlpacaClient, AlpacaStream } from '@master-chief/alpaca'

const credentials = { key: 'PKWRITTENINTOPROGRAM', secret: 'secret-of-the-program', paper: true }
const client = new AlpacaClient({ credentials })
const account = await client.getAccount()
const stream = new AlpacaStream({ credentials, type: 'account' })
await new Promise((resolve) => stream.once('authenticated', resolve))
const filled = new Promise((resolve) =>
  stream.on('trade_updates', (update) => update.event === 'fill' && resolve(update.order.symbol)),
)
stream.subscribe('trade_updates')
const order = await client.placeOrder({
  symbol: 'AAPL',
  qty: 1,
  side: 'buy',
  type: 'market',
  time_in_force: 'day',
})
console.log(JSON.stringify({ cash: String(account.cash), order: order.symbol, filled: await filled }))
process.exit(0)
