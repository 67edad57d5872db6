import type { AccountId, OrderId, PlaceOrder, Price, Quantity, Ticker } from '@quipu/core'
import { createLog, readConfig, startQuipu, syntheticMarket, WallClock, World } from '@quipu/server'
import { filesStore } from '../../server/src/start/main-store.ts'
import { MAIN } from '../../server/src/worlds/worlds.ts'
import { type Fate, ONE_OPEN_OF } from './stored-orders.ts'

// Fills a folder with orders by the product's own engine, journal and views; only HTTP is left out.

const DOLLAR = 1_000_000_000n
/** Orders that come at once: a busy broker's groups, and few enough syncs to be made soon. */
const CLIENTS = 512
/** How far the views may be behind, so that memory holds open work only. */
const LAG_MAX = 20_000
const TRADED = ['AAPL', 'MSFT', 'F', 'T', 'INTC']
/** Others than those that are sold at the market: an account may not sell into its own resting orders. */
const RESTING = ['KO', 'PFE', 'BAC', 'XOM', 'DIS']
/** Prices far below the market, from a cent up: a million fit the money. */
const LEVELS = 900n
const STEP = 100_000n

const [folder, orders, fate] = [process.argv[2]!, Number(process.argv[3]), process.argv[4] as Fate]
const { config } = readConfig({
  flags: new Map([
    ['port', '0'],
    ['data', folder],
  ]),
  env: {},
  readText: () => '',
})
const log = createLog({ level: 'error', readable: true, write: (text) => process.stderr.write(text) })
const quipu = await startQuipu(config, log)
const accountId = quipu.credentials.accountId as AccountId
await quipu.close()

const failed = (error: unknown): void => {
  console.error(error)
  process.exit(1)
}
const world = await World.open({
  ...filesStore(folder, { warn: failed, recovered: failed }),
  ...config,
  id: MAIN,
  settings: undefined as never,
  clock: new WallClock(failed),
  market: syntheticMarket,
  runJob: async () => undefined,
  failed,
})
for (let placed = 0; placed < orders; placed += CLIENTS) {
  await placeSome(placed, Math.min(orders, placed + CLIENTS))
  if (placed % (CLIENTS * 16) === 0) await keepUp(placed)
}
// So that the last snapshot is of everything.
await world.views.reached(world.engine.durable)
await world.close()

async function placeSome(from: number, to: number): Promise<void> {
  const toCancel: OrderId[] = []
  const answers: Promise<unknown>[] = []
  for (let number = from; number < to; number++)
    answers.push(
      world.submit(order(number), (_, decision) => {
        if (!decision.ok) throw new Error(`order ${number} was refused: ${decision.reason.code}`)
        const [event] = decision.value
        if (isCanceled(number) && event?.kind === 'orderAccepted') toCancel.push(event.order.id)
      }),
    )
  await Promise.all(answers)
  await Promise.all(
    toCancel.map((orderId) => world.submit({ kind: 'cancelOrder', accountId, orderId }, () => undefined)),
  )
}

async function keepUp(placed: number): Promise<void> {
  process.stderr.write(`\r  ${placed} of ${orders} orders in store, ${fate}`.padEnd(60))
  await world.views.reached(world.engine.durable - LAG_MAX)
}

/** Of four, one buys at the market, the next sells what it bought, and two rest and are canceled. */
function place(number: number): number {
  return number % 4
}

function isCanceled(number: number): boolean {
  return fate === 'closed' && place(number) >= 2 && number % ONE_OPEN_OF !== ONE_OPEN_OF - 1
}

function order(number: number): PlaceOrder {
  const trades = fate === 'closed' && place(number) < 2
  const sells = trades && place(number) === 1
  const common = {
    kind: 'placeOrder',
    accountId,
    extendedHours: false,
    quantity: DOLLAR as Quantity,
  } as const
  const symbols = trades ? TRADED : RESTING
  const symbol = symbols[Math.floor(number / 4) % symbols.length] as Ticker
  if (trades) return { ...common, symbol, side: sells ? 'sell' : 'buy', type: 'market', timeInForce: 'day' }
  const limit = (10_000_000n + (BigInt(number) % LEVELS) * STEP) as Price
  return { ...common, symbol, side: 'buy', type: 'limit', timeInForce: 'gtc', limit }
}
