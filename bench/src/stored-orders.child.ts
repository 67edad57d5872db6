import { WallClock } from '@quipu/broker/clock/wall.ts'
import { syntheticMarket } from '@quipu/broker/market/synthetic/synthetic.ts'
import { openWorld } from '@quipu/broker/world/world.ts'
import type { AccountId, OrderId, PlaceOrder, Price, Quantity, Ticker } from '@quipu/core'
import { createLog, readConfig, startQuipu } from '@quipu/server'
import { filesStore } from '../../broker/src/registry/store/main-store.ts'
import { MAIN } from '../../broker/src/registry/worlds.ts'
import { ONE_OPEN_OF, type StoredState } from './stored-orders.ts'

// Fills a folder with orders through the engine, journal and query tables of the product, but without HTTP.

const DOLLAR = 1_000_000_000n
/** Orders submitted at once: large group commits need fewer syncs. */
const CLIENTS = 512
/** Maximum lag of the query tables in events, which bounds memory. */
const LAG_MAX = 20_000
const TRADED = ['AAPL', 'MSFT', 'F', 'T', 'INTC']
/** Other symbols than the traded ones, because an account may not trade with its own resting orders. */
const RESTING = ['KO', 'PFE', 'BAC', 'XOM', 'DIS']
/** Prices far below the market, from one cent up, so that the cash covers a million orders. */
const LEVELS = 900n
const STEP = 100_000n

const [folder, orders, state] = [process.argv[2]!, Number(process.argv[3]), process.argv[4] as StoredState]
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
const world = await openWorld({
  ...filesStore(folder, { warn: failed, recovered: failed }),
  ...config,
  id: MAIN,
  code: '00',
  settings: undefined as never,
  clock: new WallClock(failed),
  market: syntheticMarket,
  runJob: async () => undefined,
  failed,
})
for (let placed = 0; placed < orders; placed += CLIENTS) {
  await placeBatch(placed, Math.min(orders, placed + CLIENTS))
  if (placed % (CLIENTS * 16) === 0) await waitForQueryTables(placed)
}
// The last snapshot must include every order.
await world.storage.queryTables.reached(world.engine.durable)
await world.close()

async function placeBatch(from: number, to: number): Promise<void> {
  const toCancel: OrderId[] = []
  const responses: Promise<unknown>[] = []
  for (let number = from; number < to; number++)
    responses.push(
      world.commands.submit(order(number), (_, decision) => {
        if (!decision.ok) throw new Error(`order ${number} was refused: ${decision.reason.code}`)
        const [event] = decision.value
        if (isCanceled(number) && event?.kind === 'orderAccepted') toCancel.push(event.order.id)
      }),
    )
  await Promise.all(responses)
  await Promise.all(
    toCancel.map((orderId) =>
      world.commands.submit({ kind: 'cancelOrder', accountId, orderId }, () => undefined),
    ),
  )
}

async function waitForQueryTables(placed: number): Promise<void> {
  process.stderr.write(`\r  ${placed} of ${orders} orders stored, ${state}`.padEnd(60))
  await world.storage.queryTables.reached(world.engine.durable - LAG_MAX)
}

/** The role of an order: 0 buys at the market, 1 sells the same shares, 2 and 3 rest and are canceled. */
function roleOf(number: number): number {
  return number % 4
}

function isCanceled(number: number): boolean {
  return state === 'closed' && roleOf(number) >= 2 && number % ONE_OPEN_OF !== ONE_OPEN_OF - 1
}

function order(number: number): PlaceOrder {
  const trades = state === 'closed' && roleOf(number) < 2
  const sells = trades && roleOf(number) === 1
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
