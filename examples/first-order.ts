// A first order with the Quipu SDK: place the order, wait until it is filled, and print the account.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@quipu/sdk'

const { APCA_API_BASE_URL: url, APCA_API_KEY_ID: keyId, APCA_API_SECRET_KEY: secretKey } = process.env
if (!url || !keyId || !secretKey) throw new Error('first: eval "$(npm run -s quipu -- env)"')

const client = createClient({ url, keyId, secretKey })

const placed = await client.placeOrder({
  body: { symbol: 'AAPL', qty: 2, side: 'buy', type: 'market', time_in_force: 'day' },
})
let order = placed
while (order.status !== 'filled') {
  await sleep(50)
  order = await client.getOrder({ params: { order_id: placed.id } })
}
console.log(`bought ${order.filled_qty} ${order.symbol} at ${order.filled_avg_price}`)

const { equity, buying_power } = await client.getAccount()
console.log(`equity ${equity}, buying power ${buying_power}`)
