import assert from 'node:assert/strict'
import { type CorporateAction, effectiveAt, type Instant, settingsOf, type Ticker } from '@quipu/core'
import type { MarketSource } from '../../../broker/src/market/market-source.ts'
import { syntheticMarket } from '../../../broker/src/market/synthetic/synthetic.ts'
import type { World } from '../../../broker/src/world/world.ts'
import { newYorkClock } from './rules.ts'

const DAY = 86_400_000_000_000n
/** A close may differ by another last trade, and is rounded to a cent. */
const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= 0.02 + 0.01 * other

/**
 * Compares the tape after corporate actions with a tape without actions: days before the first action are the same, and
 * after each action prices change by its factor. A symbol that ends has no more bars.
 */
export async function assertBars(world: World, actions: readonly CorporateAction[]): Promise<void> {
  const plain = syntheticMarket(settingsOf(world.view))
  const events = [...(settingsOf(world.view).marketEvents ?? []), ...world.view.marketEvents]
  const crashDays = new Set(
    events.flatMap((each) => (each.kind === 'crash' ? [newYorkClock(each.at).date] : [])),
  )
  for (const action of actions) {
    const { symbol, exDate } = action
    if (world.engine.now < effectiveAt(action) + DAY) continue
    const { origin, names } = namesOf(actions, symbol)
    const adjusted = await closes(world.market, names.at(-1)!, action, world.engine.now)
    const unadjusted = await closes(plain, origin, action, world.engine.now)
    const ends = await closes(world.market, symbol, action, world.engine.now)
    const isOver = action.kind === 'symbolChange' || action.kind === 'delisting'
    assert.equal(ends.has(exDate), !isOver, `bars of ${symbol} on ${exDate}`)
    const floor = floorOf(unadjusted)
    let scale: number | undefined
    let before: number | undefined
    for (const [date, close] of adjusted) {
      const plainAbove = floor.above(unadjusted.get(date)!)
      for (const one of actions)
        if (scale !== undefined && one.exDate === date && names.includes(one.symbol))
          scale *= floor.above(before! * factorOf(one, before!)) / floor.above(before!)
      before = close
      // On its day a crash multiplies prices, and later it has lowered the level.
      if (crashDays.has(date)) continue
      scale ??= floor.above(close) / plainAbove
      const expected = Math.sqrt(plainAbove * scale + floor.price ** 2)
      assert(isNear(close, expected), `${symbol} on ${date} closed at ${close} for ${expected}`)
    }
  }
}

function namesOf(actions: readonly CorporateAction[], symbol: Ticker): { origin: Ticker; names: Ticker[] } {
  const changes = actions.filter((action) => action.kind === 'symbolChange')
  const names = [symbol]
  for (let older: Ticker | undefined; (older = changes.find((one) => one.newSymbol === names[0])?.symbol); )
    names.unshift(older)
  for (
    let newer: Ticker | undefined;
    (newer = changes.find((one) => one.symbol === names.at(-1))?.newSymbol);
  )
    names.push(newer)
  return { origin: names[0]!, names }
}

/** Prices are a root function above a floor, so near it they change by less than the factor. */
function floorOf(closes: ReadonlyMap<string, number>) {
  const price = Math.min(...closes.values()) < 1 ? 0.01 : 1
  return { price, above: (close: number) => Math.max((price / 100) ** 2, close ** 2 - price ** 2) }
}

function factorOf(action: CorporateAction, before: number): number {
  if (action.kind === 'split') return Number(action.oldRate) / Number(action.newRate)
  if (action.kind !== 'dividend') return 1
  return 1 - Number(action.rate) / 1e9 / before
}

/** Closes by date, around the time of an action. */
async function closes(market: MarketSource, symbol: Ticker, action: CorporateAction, now: Instant) {
  const moment = effectiveAt(action)
  const bars = await market.history.bars({
    symbol,
    frame: { unit: 'day', count: 1 },
    from: (moment - 6n * DAY) as Instant,
    to: (moment + DAY / 2n) as Instant,
    now,
    sort: 'asc',
    limit: 10,
  })
  return new Map(bars.map(({ start, close }) => [newYorkClock(start).date, close]))
}
