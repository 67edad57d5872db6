// A bot that knows nothing of Quipu: it follows bars and its own timers, and prints what happened at its end.
import { pbkdf2 } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Alpaca } from '@alpacahq/alpaca-trade-api'

const alpaca = new Alpaca({ paper: true })
const events = []
const log = (event) => events.push(`${new Date().toISOString()} ${event}`)

const { cash } = await alpaca.trading.account.getAccount()
log(`cash ${cash}`)
setTimeout(() => log('timeout'), 90_500)
setInterval(() => log('interval'), 300_000)
sleep(45_000).then(() => log('promise'))

const updates = alpaca.trading.stream()
updates.onTradeUpdate(({ event, order }) => {
  if (event === 'fill') log(`fill ${order.filledAvgPrice}`)
})
updates.subscribeTradeUpdates()
updates.connect()

const prices = alpaca.marketData.stockStream({ feed: 'iex' })
let bars = 0
prices.onBar(async ({ timestamp }) => {
  bars += 1
  if (bars % 5 !== 0) return
  log(`bar ${timestamp.toISOString()}`)
  await readFile(new URL(import.meta.url))
  await promisify(pbkdf2)('secret', 'salt', 20_000, 32, 'sha256')
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', timeInForce: 'day' }
  const { createdAt } = await alpaca.trading.orders.postOrder({ postOrderRequest: order })
  log(`order ${createdAt.toISOString()}`)
})
prices.onConnect(() => prices.subscribeForBars(['AAPL']))
prices.connect()

process.on('SIGTERM', () => {
  console.log(JSON.stringify({ bars, events }))
  process.exit(0)
})
