// A program with the official SDK 3. It knows nothing of Quipu: its key is a key of the real broker.
const Alpaca = require('alpaca-trade-api-3')

const alpaca = new Alpaca({ keyId: 'PKWRITTENINTOPROGRAM', secretKey: 'secret-of-the-program', paper: true })

async function main() {
  const account = await alpaca.getAccount()
  const updates = alpaca.trade_ws
  const filled = new Promise((resolve) =>
    updates.onOrderUpdate((update) => update.event === 'fill' && resolve(update.order.symbol)),
  )
  const connected = new Promise((resolve) => updates.onConnect(resolve))
  updates.connect()
  await connected
  updates.subscribe(['trade_updates'])
  const order = await alpaca.createOrder({
    symbol: 'AAPL',
    qty: 1,
    side: 'buy',
    type: 'market',
    time_in_force: 'day',
  })
  console.log(JSON.stringify({ cash: account.cash, order: order.symbol, filled: await filled }))
  process.exit(0)
}
main()
