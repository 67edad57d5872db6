import assert from 'node:assert/strict'
import test from 'node:test'
import { TestWorld } from '../testing/world.ts'

const COIN = {
  class: 'crypto',
  marginable: false,
  shortable: false,
  easyToBorrow: false,
  tick: 100_000_000n,
} as const

/** The refusal code of a line, or the kind of its first event. */
function first(line: string, ...before: readonly string[]): string {
  const world = new TestWorld({ fees: 'us' })
  world.assets.set('BTC/USD', COIN as never)
  for (const each of [
    'open A 100000',
    'quote AAPL 99 100',
    'trade AAPL 99.5',
    'quote BTC/USD 99 100',
    ...before,
  ])
    world.run(each)
  return world.run(line).split(' ')[0]!
}

const TYPES = {
  market: '',
  limit: '@90',
  stop: 'stop=110',
  stopLimit: 'stop=110 @111',
  trailingStop: 'trail=2',
}
const TIMES = ['day', 'gtc', 'opg', 'cls', 'ioc', 'fok']

/** An `x` for each accepted time in force, in the order of TIMES. */
const matrix: readonly (readonly [size: string, type: keyof typeof TYPES, accepted: string])[] = [
  ['AAPL 1', 'market', 'xxxxxx'],
  ['AAPL 1', 'limit', 'xxxxxx'],
  ['AAPL 1', 'stop', 'xx....'],
  ['AAPL 1', 'stopLimit', 'xx....'],
  ['AAPL 1', 'trailingStop', 'xx....'],
  ['AAPL 0.5', 'market', 'x.....'],
  ['AAPL 0.5', 'limit', 'x.....'],
  ['AAPL 0.5', 'stop', 'x.....'],
  ['AAPL 0.5', 'stopLimit', 'x.....'],
  ['AAPL 0.5', 'trailingStop', '......'],
  ['AAPL $100', 'market', 'x.....'],
  ['AAPL $100', 'limit', 'x.....'],
  ['AAPL $100', 'stop', 'x.....'],
  ['AAPL $100', 'stopLimit', 'x.....'],
  ['AAPL $100', 'trailingStop', '......'],
  ['BTC/USD 1', 'market', '.x..x.'],
  ['BTC/USD 1', 'limit', '.x..x.'],
  ['BTC/USD 1', 'stop', '......'],
  ['BTC/USD 1', 'stopLimit', '.x....'],
  ['BTC/USD 1', 'trailingStop', '......'],
  ['BTC/USD 0.5', 'limit', '.x..x.'],
  ['BTC/USD $100', 'market', '.x..x.'],
]

for (const [size, type, accepted] of matrix)
  test(`${type} of ${size}: ${accepted} of ${TIMES.join(' ')}`, () => {
    const outcomes = TIMES.map((time) =>
      first(`buy A o1 ${size} ${TYPES[type]} ${time}`) === 'orderAccepted' ? 'x' : '.',
    )
    assert.equal(outcomes.join(''), accepted)
  })

for (const [line, then] of [
  ['buy A o1 AAPL 1 stop=110 ioc', 'timeInForceNotForType'],
  ['buy A o1 AAPL 0.5 trail=2', 'fractionalNotTrailing'],
  ['buy A o1 AAPL 0.5 bracket take=120 loss=90', 'fractionalMustBeSimple'],
  ['buy A o1 AAPL $50 bracket take=120 loss=90', 'fractionalMustBeSimple'],
  ['buy A o1 AAPL $50 @90 gtc', 'fractionalMustBeDay'],
  ['buy A o1 AAPL 1 ext', 'extendedMustBeLimit'],
  ['buy A o1 AAPL 1 @90 ext ioc', 'extendedMustBeLimit'],
  ['buy A o1 AAPL 1 @90 ext', 'orderAccepted'],
  ['buy A o1 AAPL 1 @90 ext gtc', 'orderAccepted'],
  ['buy A o1 AAPL 1 stop=110 ext', 'stopNotExtended'],
  ['buy A o1 AAPL 1 trail=1 ext', 'stopNotExtended'],
  ['buy A o1 AAPL 1 @90 bracket take=120 loss=80 ext', 'complexNotExtended'],
  ['buy A o1 AAPL 1 stop=110 bracket take=120 loss=80', 'entryMustBeMarketOrLimit'],
  ['buy A o1 AAPL 1 @90 bracket take=120 loss=80 ioc', 'groupMustBeDayOrGtc'],
  ['buy A o1 AAPL 1 oco loss=80', 'ocoMustBeLimit'],
  ['buy A o1 AAPL 1 @90.001', 'subPenny'],
  ['buy A o1 AAPL 1 stop=110.001', 'subPenny'],
  ['buy A o1 AAPL 1 bracket take=120.001 loss=80', 'subPenny'],
  ['buy A o1 AAPL 1 bracket take=120 loss=80.001', 'subPenny'],
  ['buy A o1 AAPL 1 bracket take=120 loss=80 losslimit=79.001', 'subPenny'],
  ['buy A o1 BTC/USD 1 @90.1 gtc', 'orderAccepted'],
  ['buy A o1 BTC/USD 1 @90.11 gtc', 'priceIncrement'],
  ['buy A o1 BTC/USD 1 gtc bracket take=120 loss=80', 'cryptoMustBeSimple'],
  ['buy A o1 BTC/USD 1 stop=110 gtc', 'cryptoOrderType'],
  ['buy A o1 BTC/USD 1 day', 'cryptoTimeInForce'],
  ['buy A o1 BTC/USD 0.05 gtc', 'cryptoCostTooSmall'],
  ['buy A o1 BTC/USD $9.99 gtc', 'cryptoCostTooSmall'],
  ['buy A o1 BTC/USD 0.1 gtc', 'orderAccepted'],
  ['buy A o1 BTC/USD 2001 gtc', 'cryptoCostTooLarge'],
  ['buy A o1 BTC/USD 1001 gtc', 'insufficientBalance'],
  ['buy A o1 BTC/USD 1000 gtc', 'orderAccepted'],
  ['sell A o1 BTC/USD 1 gtc', 'insufficientBalance'],
] as const)
  test(`${line}: ${then}`, () => assert.equal(first(line), then))

test('a crypto purchase minus its fee can be sold, and no more', () => {
  const bought = ['buy A o1 BTC/USD 1 gtc']
  assert.equal(first('sell A o2 BTC/USD 1 gtc', ...bought), 'insufficientBalance')
  assert.equal(first('sell A o2 BTC/USD 0.9975 gtc', ...bought), 'orderAccepted')
})

test('crypto is bought with settled cash only', () => {
  const sold = ['buy A o1 AAPL 900', 'until 2026-11-03T15:00:00Z', 'sell A o2 AAPL 900']
  assert.equal(first('buy A o3 BTC/USD 500 gtc', ...sold), 'insufficientBalance')
  assert.equal(first('buy A o3 BTC/USD 500 gtc', ...sold, 'until 2026-11-04T15:00:00Z'), 'orderAccepted')
})
