// Buys two shares and waits until they are bought.
import { setTimeout as wait } from 'node:timers/promises'

const url = 'https://paper-api.alpaca.markets/v2/orders'
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any', 'content-type': 'application/json' }
const terms = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }
let order = await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(terms) })).json()
while (order.status !== 'filled') {
  await wait(20)
  order = await (await fetch(`${url}/${order.id}`, { headers })).json()
}
console.log(JSON.stringify({ price: order.filled_avg_price, day: new Date().toISOString().slice(0, 10) }))
