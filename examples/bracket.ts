// eval "$(npm run -s quipu -- env)" && npx node examples/bracket.ts
// A bracket order: an entry, and two exits that wait for it. When one exit fills, the other is canceled.
import { createQuipu } from '@quipu/sdk'

if (!process.env['APCA_API_KEY_ID']) throw new Error('first: eval "$(npm run -s quipu -- env)"')

const quipu = createQuipu()
const price = await quipu.latestPrice('MSFT')
if (price === undefined) throw new Error('MSFT has no price')

const placed = await quipu.orders.bracket({
  symbol: 'MSFT',
  qty: 1,
  side: 'buy',
  timeInForce: 'gtc',
  takeProfit: { limitPrice: (price * 1.05).toFixed(2) },
  stopLoss: { stopPrice: (price * 0.97).toFixed(2) },
})
const entry = await quipu.orders.wait(placed.id)
console.log(`the entry is ${entry.status}`)

const [group] = await quipu.orders.list({ status: 'all', nested: true, symbols: 'MSFT', limit: 1 })
const exits = group?.legs ?? []
for (const leg of exits)
  console.log(`exit: ${leg.side} ${leg.qty} at ${leg.limitPrice ? 'a profit' : 'a loss'}, ${leg.status}`)

// Canceling one exit cancels the other. The position stays.
await quipu.orders.cancel(String(exits[0]?.id))
console.log(`open position: ${(await quipu.positions.get('MSFT')).qty} MSFT`)
