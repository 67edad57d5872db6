import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ActionId,
  type ActionTerms,
  type CivilDate,
  type CorporateAction,
  effectiveAt,
  format,
  fromNewYork,
  type Instant,
  type Price,
  type Ticker,
  type WorldSettings,
} from '@quipu/core'
import type { MarketSource } from './market-source.ts'
import { worldMarket } from './world-market.ts'

const AAPL = 'AAPL' as Ticker
const PEAR = 'PEAR' as Ticker
const EX = '2026-11-10' as CivilDate
const MOMENT = effectiveAt({ exDate: EX })
const UNIT = 1_000_000_000n

type Added = { actions: Map<ActionId, CorporateAction>; actionsSeq: number }

function marketWith(
  terms: ActionTerms | undefined,
  hours: WorldSettings['hours'] = 'nyse',
): { market: MarketSource; added: Added; apply(): void } {
  const added: Added = { actions: new Map(), actionsSeq: 0 }
  const action = {
    id: 'one' as ActionId,
    symbol: AAPL,
    exDate: EX,
    createdAt: 0n as Instant,
    ...terms,
  } as CorporateAction
  if (terms) added.actions.set(action.id, action)
  const settings = { seed: 'actions', hours } as WorldSettings
  const market = worldMarket({ settings, added: view(added) })
  return {
    market,
    added,
    apply() {
      added.actions.set(action.id, { ...action, appliedAt: MOMENT })
      added.actionsSeq += 1
    },
  }
}

/** Reads the current actions on each access, as a world does. */
const view = (added: Added): Parameters<typeof worldMarket>[0]['added'] => ({
  symbols: new Map(),
  marketEvents: [],
  get actions() {
    return added.actions
  },
  get actionsSeq() {
    return added.actionsSeq
  },
})

const split: ActionTerms = { kind: 'split', newRate: 4n * UNIT, oldRate: UNIT }
const dividend: ActionTerms = {
  kind: 'dividend',
  rate: UNIT as Price,
  recordDate: EX,
  payDate: EX,
  special: false,
}
const night = (MOMENT + 3_600_000_000_000n) as Instant
const plain = marketWith(undefined).market

test('after a split the last trade has the adjusted price, and there is no quote until the next trade', async () => {
  const { market } = marketWith(split)
  const [before, after] = [(MOMENT - 1n) as Instant, MOMENT]
  const was = plain.pricesAt(before).trade(AAPL)!
  assert.deepEqual(market.pricesAt(before).trade(AAPL), was)
  assert.ok(market.pricesAt(before).quote(AAPL))
  for (const at of [after, night]) {
    assert.equal(format(market.pricesAt(at).trade(AAPL)!.price), format(was.price / 4n))
    assert.equal(market.pricesAt(at).quote(AAPL), undefined)
  }
  const open = fromNewYork(EX, 9 * 60 + 30 + 1)
  const [now, then] = [market.pricesAt(open).quote(AAPL)!, plain.pricesAt(open).quote(AAPL)!]
  assert.ok(Math.abs(Number(now.ask) * 4 - Number(then.ask)) < 0.01 * Number(then.ask))
  // A quote from before the split fills no order after it.
  const touched = await market.schedule.nextTouch({
    symbol: AAPL,
    side: 'sell',
    price: was.price / 2n,
    from: after,
    to: fromNewYork(EX, 20 * 60),
  })
  assert.equal(touched, undefined)
})

test('a dividend is subtracted from the last trade', () => {
  const { market } = marketWith(dividend)
  const was = plain.pricesAt(MOMENT).trade(AAPL)!
  assert.equal(market.pricesAt(MOMENT).trade(AAPL)!.price, was.price - UNIT)
})

test('a new name becomes an asset with the history of the old name, which becomes inactive', async () => {
  const { market, apply } = marketWith({ kind: 'symbolChange', newSymbol: PEAR })
  assert.equal(market.assets().get(PEAR), undefined)
  assert.equal(market.assets().get(AAPL)!.status, 'active')
  apply()
  assert.equal(market.assets().get(PEAR)!.tradable, true)
  assert.notEqual(market.assets().get(PEAR)!.id, market.assets().get(AAPL)!.id)
  const { status, tradable } = market.assets().get(AAPL)!
  assert.deepEqual([status, tradable], ['inactive', false])
  const days = (of: MarketSource, symbol: Ticker) =>
    of.history.bars({
      symbol,
      frame: { unit: 'day', count: 1 },
      from: fromNewYork('2026-11-02' as CivilDate, 0),
      to: fromNewYork('2026-11-20' as CivilDate, 0),
      now: fromNewYork('2026-11-21' as CivilDate, 0),
      sort: 'asc',
      limit: 100,
    })
  const whole = await days(plain, AAPL)
  assert.deepEqual(await days(market, PEAR), whole)
  assert.deepEqual(
    await days(market, AAPL),
    whole.filter(({ start }) => start < MOMENT),
  )
})

test('a delisted symbol has no quote, and keeps its last trade', () => {
  const { market, apply } = marketWith({ kind: 'delisting' }, 'always')
  apply()
  assert.equal(market.assets().get(AAPL)!.status, 'inactive')
  const later = (MOMENT + 40n * 86_400_000_000_000n) as Instant
  assert.equal(market.pricesAt(later).quote(AAPL), undefined)
  assert.ok(market.pricesAt(later).trade(AAPL)!.at < MOMENT)
})

test('an action does not change other symbols', () => {
  const { market } = marketWith(split)
  const msft = 'MSFT' as Ticker
  assert.deepEqual(market.pricesAt(night).quote(msft), plain.pricesAt(night).quote(msft))
  assert.equal(plain.assets().size, marketWith(undefined).market.assets().size)
})
