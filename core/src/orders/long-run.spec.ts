import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { format } from '../amount.ts'
import { apply } from '../apply.ts'
import type { AccountId, AssetId, OrderId, Ticker } from '../ids.ts'
import type { State } from '../state/state.ts'
import { emptyState } from '../state/state.ts'
import { TestWorld } from '../testing/world.ts'
import { formatInstant } from '../time.ts'
import type { WorldSettings } from '../world.ts'
import type { OrderFilled } from './events.ts'
import { BOOK_CLASSES, type BookView } from './matching/book.ts'
import { awaitsTrade } from './matching/trigger-book.ts'
import { type Order, remaining } from './order.ts'
import { isForAuction } from './session.ts'
import { isOpen, isWorking } from './transitions.ts'

/** Invariants for random commands. A failure prints its seed: `fc.assert(…, { seed })`. */
const SYMBOLS = ['AAPL', 'MSFT', 'BTC/USD'] as const
const ACCOUNTS = ['A', 'B'] as const

const price = fc.integer({ min: 90, max: 110 })
const symbol = fc.constantFrom(...SYMBOLS)
const account = fc.constantFrom(...ACCOUNTS)
const oneOf = (...words: readonly string[]) => fc.constantFrom(...words)

/** Every order type, time in force and group class; some are refused. */
const terms = fc
  .tuple(oneOf('1', '2', '7', '25'), oneOf('', 'gtc'), price, price, fc.nat({ max: 15 }))
  .map(([size, time, one, other, kind]) => {
    const [low, high] = [Math.min(one, other) - 8, Math.max(one, other) + 8]
    const all = [
      `${size} ${time}`,
      `${size} @${one} ${time}`,
      `${size} @${one} ext ${time}`,
      `${size} stop=${one} ${time}`,
      `${size} stop=${one} @${other} ${time}`,
      `${size} trail=2 ${time}`,
      `${size} trail%=1.5 ${time}`,
      `${size} @${one} ioc`,
      `${size} @${one} fok`,
      `${size} opg`,
      `${size} @${one} cls`,
      `0.5`,
      `$40`,
      `${size} @${one} bracket take=${high} loss=${low} ${time}`,
      `${size} @${high} oco take=${high} loss=${low} ${time}`,
      `${size} oto ${other % 2 ? `take=${high}` : `loss=${low}`} ${time}`,
    ]
    return all[kind]!
  })

const placeLine = fc
  .tuple(oneOf('buy', 'sell'), account, fc.integer({ min: 0, max: 300 }), symbol, terms)
  .map(([side, owner, n, ticker, rest]) => `${side} ${owner} ${owner}${n} ${ticker} ${rest}`)
const cancel = fc.tuple(account, fc.nat()).map(([owner, n]) => `cancel ${owner} ${n}`)
const change = fc.tuple(fc.nat(), price).map(([n, to]) => `change ${n} ${to}`)
const quote = fc
  .tuple(symbol, price, oneOf('3', '10', '50'))
  .map(([ticker, bid, size]) => `quote ${ticker} ${bid} ${bid + 1} ${size} ${size}`)
const trade = fc.tuple(symbol, price).map(([ticker, at]) => `trade ${ticker} ${at}`)
const wait = oneOf('wait 5', 'wait 600', 'wait 4000', 'wait 30000')
const auction = price.map((at) => `auction ${at}`)

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: placeLine },
    { weight: 4, arbitrary: quote },
    { weight: 4, arbitrary: trade },
    { weight: 2, arbitrary: cancel },
    { weight: 2, arbitrary: change },
    { weight: 2, arbitrary: wait },
    { weight: 1, arbitrary: auction },
  ),
  { minLength: 60, maxLength: 160, size: 'max' },
)
const settings = fc.record({
  hours: fc.constantFrom<WorldSettings['hours']>('nyse', 'always'),
  fillSize: fc.constantFrom<WorldSettings['fillSize']>('unlimited', 'displayed'),
  latencyNs: fc.constantFrom(0n, 2_000_000_000n),
  fees: fc.constantFrom<NonNullable<WorldSettings['fees']>>('us', 'none'),
})

test('random worlds keep all invariants', () => {
  fc.assert(
    fc.property(settings, steps, (worldSettings, lines) => {
      const world = new TestWorld(worldSettings)
      world.assets.set('BTC/USD', { class: 'crypto', exchange: 'CRYPTO', id: 'btc' as AssetId })
      for (const line of ['open A 50000', 'open B 50000']) world.run(line)
      for (const ticker of SYMBOLS) {
        world.run(`quote ${ticker} 99 100`)
        world.run(`trade ${ticker} 100`)
      }
      // `run` audits ledger, positions, unsettled amounts and holds after every line.
      for (const line of lines) {
        step(world, line)
        check(world.state)
      }
      checkHistory(world)
    }),
    { numRuns: Math.ceil(100 * Number(process.env['PROPERTY_FACTOR'] ?? 0.25)) },
  )
})

function step(world: TestWorld, line: string): void {
  const [verb, first = '', second = ''] = line.split(' ')
  if (verb === 'cancel') return cancelOne(world, first, Number(second))
  if (verb === 'change') return changeOne(world, Number(first), BigInt(second))
  if (verb === 'auction') return holdOne(world, BigInt(first))
  world.run(line)
}

const openOrders = (world: TestWorld, isWanted = (_: Order) => true): Order[] =>
  [...world.state.orders.values()].filter((order) => isOpen(order) && isWanted(order))

function cancelOne(world: TestWorld, owner: string, n: number): void {
  const accountId = world.accounts.get(owner)!
  const open = openOrders(world, (order) => order.accountId === accountId)
  if (open.length > 0) world.submit({ kind: 'cancelOrder', accountId, orderId: open[n % open.length]!.id })
  world.run('wait 0')
}

function changeOne(world: TestWorld, n: number, dollars: bigint): void {
  const open = openOrders(world)
  const order = open[n % Math.max(open.length, 1)]
  if (!order) return
  const to = billions(dollars)
  const { accountId, id: orderId } = order
  const priced = order.trigger ? { stop: to } : { limit: to }
  world.submit({ kind: 'replaceOrder', accountId, orderId, ...(n % 3 === 0 ? { quantity: to } : priced) })
  world.run('wait 0')
}

/** Advances to the next auction with a waiting order, and holds it. */
function holdOne(world: TestWorld, dollars: bigint): void {
  const [first] = world.state.auctions
  if (!first) return
  const [symbol, waiting] = first
  const [due] = waiting.keys()
  if (due! > world.now) world.run(`until ${formatInstant(due!)}`)
  const print = { at: world.now, price: billions(dollars), size: billions(5n) }
  world.submit({ kind: 'holdAuction', symbol, due: due!, print })
  world.run('wait 0')
}

const billions = (units: bigint) => (units * 1_000_000_000n) as never

function check(state: State): void {
  const names = new Set<string>()
  const held = new Map<string, bigint>()
  const [inBooks, inTriggers, inAuctions] = [
    idsOf(state, 'books'),
    idsOf(state, 'triggers'),
    auctionIds(state),
  ]
  for (const order of state.orders.values()) {
    const name = `${order.accountId}/${order.clientOrderId}`
    assert.ok(!names.has(name), `two orders have the name ${name}`)
    names.add(name)
    assert.ok(order.filledQuantity >= 0n && remaining(order) >= 0n, `${order.id} is filled beyond its size`)
    assert.equal(order.status === 'filled', remaining(order) === 0n)
    const waits = isWorking(order) && !awaitsTrade(order)
    assert.equal(inBooks.has(order.id), waits && !isForAuction(order), `${order.id} in the book`)
    assert.equal(inAuctions.has(order.id), waits && isForAuction(order), `${order.id} in an auction`)
    assert.equal(inTriggers.has(order.id), awaitsTrade(order), `${order.id} in the triggers`)
    const holds =
      isOpen(order) && order.intent.endsWith('ToClose') && (order.status !== 'held' || isSingleExit(order))
    if (holds) plus(held, `${order.accountId}/${order.symbol}`, remaining(order))
  }
  checkHeld(state, held)
}

const isSingleExit = ({ group, trigger }: Order): boolean =>
  group?.class === 'oto' && trigger?.armedAt !== undefined

/** Holds are the sums over open closing orders, and do not exceed the position. */
function checkHeld(state: State, held: ReadonlyMap<string, bigint>): void {
  for (const [accountId, { shares }] of state.holds)
    for (const [ticker, quantity] of shares) {
      assert.equal(quantity, held.get(`${accountId}/${ticker}`), `held of ${ticker}`)
      const owned = state.positions.get(accountId)?.get(ticker)?.quantity ?? 0n
      assert.ok(
        quantity <= (owned < 0n ? -owned : owned),
        `${format(quantity)} held of ${format(owned)} ${ticker}`,
      )
    }
}

function idsOf(state: State, index: 'books' | 'triggers'): Set<OrderId> {
  const books: BookView[] =
    index === 'books' ? [...state.books.values()] : [...state.triggers.values()].map(({ stops }) => stops)
  const ids = new Set<OrderId>()
  for (const book of books)
    for (const kind of BOOK_CLASSES)
      for (const side of ['buy', 'sell'] as const)
        for (const level of book[kind][side].orders) for (const id of level) ids.add(id)
  return ids
}

const auctionIds = (state: State): Set<OrderId> =>
  new Set(
    [...state.auctions.values()].flatMap((auctions) => [...auctions.values()].flatMap((ids) => [...ids])),
  )

/** Replays all events and checks each. */
function checkHistory(world: TestWorld): void {
  const state = emptyState()
  const filled = new Map<string, bigint>()
  const counts = new Map<string, bigint>()
  for (const event of world.events) {
    const order = 'orderId' in event ? state.orders.get(event.orderId) : undefined
    if (event.kind === 'orderFilled') {
      plus(filled, event.orderId, event.quantity)
      checkFill(event, order!, positionOf(state, event.accountId, event.symbol))
    }
    if (event.kind === 'orderElected')
      assert.ok(event.trade.at > order!.trigger!.armedAt!, 'elected by an old trade')
    if ('accountId' in event && event.accountId !== undefined && event.kind !== 'accountOpened')
      plus(counts, event.accountId, 1n)
    apply(state, event)
  }
  for (const { id, filledQuantity } of state.orders.values())
    assert.equal(filled.get(id) ?? 0n, filledQuantity, 'the sum of its fills')
  // The event count of an account has no gaps.
  for (const { id, events } of state.accounts.values())
    assert.equal(BigInt(events), (counts.get(id) ?? 0n) + 1n)
  assert.deepEqual(state, world.state)
}

const positionOf = (state: State, accountId: AccountId, ticker: Ticker): bigint =>
  state.positions.get(accountId)?.get(ticker)?.quantity ?? 0n

/** No fill is beyond its limit, at a price from before the order, or turns a long into a short. */
function checkFill(event: OrderFilled, order: Order, before: bigint): void {
  const { price: at, quote, auction, positionAfter } = event
  assert.ok(isWorking(order) && event.at > order.createdAt)
  assert.equal(at, order.side === 'buy' ? quote.ask : quote.bid)
  if (order.limit !== undefined) assert.ok(order.side === 'buy' ? at <= order.limit : at >= order.limit)
  if (auction !== undefined) assert.ok(quote.at > order.createdAt, 'a print from before the order')
  if (order.trigger) assert.ok(order.trigger.electedAt !== undefined && order.trigger.electedAt <= event.at)
  assert.ok(
    before === 0n || positionAfter === 0n || before > 0n === positionAfter > 0n,
    'a position changed its sign',
  )
}

function plus(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}
