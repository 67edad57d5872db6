import assert from 'node:assert/strict'
import test from 'node:test'
import { dateOf } from '../../../civil-date.ts'
import { builtInListing } from '../../assets/assets.ts'
import { tradingDayAt } from '../../calendar.ts'
import { keyOf } from '../random.ts'
import { exponential, logarithm } from './exponential.ts'
import { BLOCK_DAYS, type Factor, makeFactor } from './factor.ts'
import { TAPE_CALENDARS } from './pace.ts'
import { partsOf, volatilityOf } from './parts.ts'
import { earningsJumps } from './path.ts'

const DAILY = 0.01
const factorOf = (name: string): Factor => makeFactor({ kind: 'market', key: keyOf(name), daily: DAILY })
const stepAfter = (factor: Factor, index: number): number => Math.abs(factor.at(index + 1) - factor.at(index))

test('a block starts at the end of the previous block', () => {
  for (const name of ['a', 'b', 'c', 'd'])
    for (let block = -2; block < 30; block++)
      for (const index of [block * BLOCK_DAYS - 1, block * BLOCK_DAYS, block * BLOCK_DAYS + 1])
        assert.ok(stepAfter(factorOf(name), index) < 8 * DAILY, `${name} ${index}`)
})

test('blocks are the same for any order of queries', () => {
  const [one, other] = [factorOf('order'), factorOf('order')]
  const days = Array.from({ length: 40 }, (_, step) => step * 397)
  const forwards = days.map((day) => [one.at(day), one.state(day), one.deviation(day)])
  const backwards = days.toReversed().map((day) => [other.at(day), other.state(day), other.deviation(day)])
  assert.deepEqual(backwards.toReversed(), forwards)
})

test('a company reports four times a year, in the weeks after a quarter ended', () => {
  const jumps = earningsJumps(keyOf('reports'), DAILY, 10_001, 10_000 + 2520)
  assert.ok(jumps.size >= 39 && jumps.size <= 41, `${jumps.size}`)
  for (const [index, jump] of jumps) {
    const [, month, day] = dateOf(tradingDayAt(index)!).split('-').map(Number)
    const dayOfQuarter = ((month! - 1) % 3) * 31 + day!
    assert.ok(dayOfQuarter >= 13 && dayOfQuarter <= 57, `${month}-${day}`)
    assert.ok(Math.abs(jump) < 3 * DAILY * 1.5 * 3.5)
  }
  const halves = [
    earningsJumps(keyOf('reports'), DAILY, 10_001, 11_000),
    earningsJumps(keyOf('reports'), DAILY, 11_001, 12_520),
  ]
  assert.deepEqual([...halves[0]!, ...halves[1]!], [...jumps])
})

test('the parts of market, factors and symbol add up to its volatility', () => {
  for (const profile of builtInListing().profiles.filter(({ follows }) => !follows)) {
    const { loads, own } = partsOf(profile)
    const ofMarket = profile.beta * TAPE_CALENDARS[profile.pace ?? 'newYork'].marketVolatility
    const shared = loads.reduce((sum, { name, load }) => sum + (load * volatilityOf(name)) ** 2, 0)
    const total = Math.sqrt(ofMarket ** 2 + shared + own ** 2)
    assert.ok(
      total / profile.volatility > 0.999 && total / profile.volatility < 1.2,
      `${profile.symbol} ${total}`,
    )
  }
})

for (const x of [1e-9, 0.05, 0.7, 1, 1.5, 3, 1000, 1e12])
  test(`the logarithm of ${x} inverts the exponential function`, () =>
    assert.ok(Math.abs(exponential(logarithm(x)) / x - 1) < 1e-13))
