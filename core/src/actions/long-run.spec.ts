import assert from 'node:assert/strict'
import test from 'node:test'
import { format, type Price } from '../amount.ts'
import { apply } from '../apply.ts'
import { decode, encode } from '../encode.ts'
import type { BrokerEvent } from '../events.ts'
import { nextSession } from '../market/calendar.ts'
import { keyOf, mix, uniform } from '../market/kernel/random.ts'
import { isOpen, isWorking } from '../orders/transitions.ts'
import { emptyState, type View } from '../state/state.ts'
import { amount } from '../testing/script-lines.ts'
import { newYorkDate } from '../time.ts'
import { priceAfter } from './action.ts'
import { ActionWorld, delist, dividend, rename, split } from './testing/actions.ts'

/**
 * A random world: orders of every kind on two symbols, moving quotes, and a corporate action every few days. `run`
 * audits ledger, positions, unsettled amounts and holds after every line.
 */
class RandomWorld extends ActionWorld {
  readonly #key: number
  #draws = 0
  #names = 0
  readonly prices = new Map<string, number>([
    ['AAPL', 100],
    ['MSFT', 40],
  ])

  constructor(seed: string) {
    super()
    this.#key = keyOf(seed)
    this.run('open A 1000000')
    for (const symbol of this.prices.keys()) this.move(symbol)
  }

  draw(max: number): number {
    return Math.floor(uniform(mix(this.#key, 1), this.#draws++) * max)
  }

  any<Item>(items: readonly Item[]): Item {
    return items[this.draw(items.length)]!
  }

  move(symbol: string): void {
    const price = Math.max(2, this.prices.get(symbol)! * (0.97 + 0.06 * (this.draw(1000) / 1000)))
    this.prices.set(symbol, price)
    const [bid, ask] = [price - 0.01, price + 0.01].map((each) => each.toFixed(2))
    this.run(`quote ${symbol} ${bid} ${ask}`)
    this.run(`trade ${symbol} ${price.toFixed(2)}`)
  }

  anyOrder(): void {
    const symbol = this.any([...this.prices.keys()])
    const price = this.prices.get(symbol)!
    const at = (times: number): string => (price * times).toFixed(2)
    const [side, quantity] = [this.any(['buy', 'sell']), 1 + this.draw(30)]
    const isBuy = side === 'buy'
    const terms = this.any([
      '',
      `@${at(isBuy ? 0.95 : 1.05)} gtc`,
      `stop=${at(isBuy ? 1.06 : 0.94)} gtc`,
      `stop=${at(isBuy ? 1.06 : 0.94)} @${at(isBuy ? 1.07 : 0.93)} gtc`,
      'trail=1 gtc',
      isBuy ? `gtc bracket take=${at(1.2)} loss=${at(0.8)}` : '',
    ])
    this.run(`${side} A o${this.#names++} ${symbol} ${quantity} ${terms}`)
  }

  /** Applies a random action at the start of the next trading day, and sets the prices after it. */
  action(): string {
    const symbol = this.any([...this.prices.keys()])
    const [price, name] = [this.prices.get(symbol)!, `N${this.#names++}`]
    const terms = this.any([
      split('2', '1'),
      split('3', '2'),
      split('1', '4'),
      dividend('0.37'),
      rename(name),
      delist('3'),
    ])
    const { date, preOpen } = nextSession(newYorkDate(this.now))
    if (terms.kind === 'dividend') Object.assign(terms, { recordDate: date, payDate: date })
    const decision = this.schedule(terms, { symbol, exDate: date })
    if (decision !== 'actionScheduled') return decision
    const last = amount(price.toFixed(2)) as Price
    const after = terms.kind === 'split' ? Number(priceAfter(terms, last, 'down')) / 1e9 : price
    this.trades.set(symbol, { ...this.trades.get(symbol)!, price: amount(after.toFixed(2)) as Price })
    this.now = preOpen
    this.run('wait 0')
    this.prices.delete(symbol)
    if (terms.kind === 'symbolChange') this.prices.set(name, after)
    else if (terms.kind !== 'delisting') this.prices.set(symbol, after)
    else this.prices.set(name, 50)
    for (const each of this.prices.keys()) this.move(each)
    return terms.kind
  }
}

/** Checks that every open order is in the right indexes, and that the books contain no other orders. */
function indexFaults(view: View): string[] {
  const faults: string[] = []
  for (const order of view.orders.values()) {
    if (!isOpen(order)) continue
    const side = view.selfTradeIndex.get(order.accountId)?.get(order.symbol)?.[order.side]
    if (!side || side.open === 0) faults.push(`${order.id} is missing in the self-trade index`)
    if (!isWorking(order) || (order.trigger && order.trigger.electedAt === undefined)) continue
    const books = view.books.get(order.symbol)
    const found = Object.values(books ?? {}).some((sides) => {
      const { prices, orders } = sides[order.side]
      return orders.some(
        (ids, index) => ids.has(order.id) && (order.limit ?? prices[index]) === prices[index],
      )
    })
    if (!found) faults.push(`${order.id} of ${order.symbol} is in no book at ${format(order.limit ?? 0n)}`)
  }
  for (const [symbol, books] of view.books)
    for (const sides of Object.values(books))
      for (const { orders } of Object.values(sides))
        for (const ids of orders.values())
          for (const id of ids)
            if (view.orders.get(id)?.symbol !== symbol) faults.push(`${id} is in the book of ${symbol}`)
  return faults
}

for (const seed of ['one', 'two', 'three', 'four', 'five', 'six'])
  test(`random actions keep all indexes consistent, and replaying the events gives the same state (seed ${seed})`, () => {
    const world = new RandomWorld(seed)
    const outcomes = new Set<string>()
    for (let step = 0; step < 40; step++) {
      for (let order = 0; order < 4; order++) world.anyOrder()
      for (const symbol of world.prices.keys()) world.move(symbol)
      outcomes.add(world.action())
      assert.deepEqual(indexFaults(world.state), [], `seed ${seed}, step ${step}`)
    }
    assert.ok(outcomes.size >= 4, [...outcomes].join())
    const replayed = emptyState()
    for (const event of world.events) apply(replayed, decode(encode(event)) as BrokerEvent)
    assert.equal(encode(replayed), encode(world.state))
    const filled = new Map<string, bigint>()
    for (const event of world.events)
      if (event.kind === 'orderFilled')
        filled.set(event.orderId, (filled.get(event.orderId) ?? 0n) + event.quantity)
    for (const order of world.state.orders.values())
      assert.equal(order.filledQuantity, filled.get(order.id) ?? 0n, `the fills of ${order.id}`)
    assert.ok(filled.size > 40)
  })
