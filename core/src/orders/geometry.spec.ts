import assert from 'node:assert/strict'
import test from 'node:test'
import { TestWorld } from '../testing/world.ts'

/** The refusal code of a line, or `accepted`. */
function refusalOf(line: string): string {
  const world = new TestWorld()
  const setup = ['open A 100000', 'open B 100000', 'quote AAPL 99 101', 'trade AAPL 100', 'buy B b1 AAPL 10']
  for (const each of [...setup, 'open C 100000', 'sell C c1 AAPL 10']) world.run(each)
  const outcome = world.run(line)
  return outcome.startsWith('orderAccepted') ? 'accepted' : outcome
}

for (const [line, then] of [
  // A stop must be beyond the last trade of 100.
  ['buy A o1 AAPL 1 stop=100.01', 'accepted'],
  ['buy A o1 AAPL 1 stop=100', 'stopBeyondMarket'],
  ['buy A o1 AAPL 1 stop=99', 'stopBeyondMarket'],
  ['sell B o1 AAPL 1 stop=99.99', 'accepted'],
  ['sell B o1 AAPL 1 stop=100', 'stopBeyondMarket'],
  ['sell B o1 AAPL 1 stop=101 @99', 'stopBeyondMarket'],
  ['sell B o1 AAPL 1 trail=99', 'accepted'],
  ['sell B o1 AAPL 1 trail=100', 'trailPriceTooLarge'],
  ['buy A o1 AAPL 1 trail=100', 'accepted'],
  // A bracket with a market entry.
  ['buy A o1 AAPL 1 bracket take=110 loss=90', 'accepted'],
  ['buy A o1 AAPL 1 bracket take=100.01 loss=99.99', 'accepted'],
  ['buy A o1 AAPL 1 bracket take=100 loss=90', 'exitTooNear'],
  ['buy A o1 AAPL 1 bracket take=110 loss=100', 'exitTooNear'],
  ['buy A o1 AAPL 1 bracket take=110 loss=110', 'exitsCrossed'],
  ['buy A o1 AAPL 1 bracket take=90 loss=110', 'exitsCrossed'],
  // Exits are compared with the limit of the entry, and a stop also with the market.
  ['buy A o1 AAPL 1 @95 bracket take=95.01 loss=94.99', 'accepted'],
  ['buy A o1 AAPL 1 @95 bracket take=95 loss=90', 'exitTooNear'],
  ['buy A o1 AAPL 1 @95 bracket take=110 loss=95', 'exitTooNear'],
  ['buy A o1 AAPL 1 @110 bracket take=120 loss=100', 'exitTooNear'],
  ['buy A o1 AAPL 1 @110 bracket take=120 loss=99.99', 'accepted'],
  // A short entry: the rules are mirrored.
  ['sell A o1 AAPL 1 bracket take=90 loss=110', 'accepted'],
  ['sell A o1 AAPL 1 bracket take=99.99 loss=100.01', 'accepted'],
  ['sell A o1 AAPL 1 bracket take=100 loss=110', 'exitTooNear'],
  ['sell A o1 AAPL 1 bracket take=90 loss=100', 'exitTooNear'],
  ['sell A o1 AAPL 1 bracket take=110 loss=90', 'exitsCrossed'],
  ['sell A o1 AAPL 1 @105 bracket take=104.99 loss=105.01', 'accepted'],
  // A single exit.
  ['buy A o1 AAPL 1 oto take=110', 'accepted'],
  ['buy A o1 AAPL 1 oto loss=90', 'accepted'],
  ['buy A o1 AAPL 1 oto take=99', 'exitTooNear'],
  ['buy A o1 AAPL 1 oto loss=101', 'exitTooNear'],
  // OCO exits of a long position, of a short position, and without a position.
  ['sell B o1 AAPL 10 @110 oco loss=90', 'accepted'],
  ['sell B o1 AAPL 10 @110 oco loss=90 losslimit=89', 'accepted'],
  ['sell B o1 AAPL 10 @110 oco loss=110', 'exitsCrossed'],
  ['sell B o1 AAPL 10 @99 oco loss=98.99', 'accepted'],
  ['sell B o1 AAPL 10 @110 oco loss=100', 'exitTooNear'],
  ['buy C o1 AAPL 10 @90 oco loss=110', 'accepted'],
  ['buy C o1 AAPL 10 @90 oco loss=100', 'exitTooNear'],
  ['buy C o1 AAPL 10 @110 oco loss=90', 'exitsCrossed'],
  ['buy A o1 AAPL 10 @90 oco loss=110', 'ocoMustClose'],
  ['sell B o1 AAPL 1 bracket take=90 loss=110', 'groupMustOpen'],
  ['buy C o1 AAPL 1 oto take=110', 'groupMustOpen'],
] as const)
  test(`${line}: ${then}`, () => assert.equal(refusalOf(line), then))

test('a refusal names the base price that an exit is too near to', () => {
  const world = new TestWorld()
  for (const line of ['open A 100000', 'quote AAPL 99 101', 'trade AAPL 100.5']) world.run(line)
  const refusal = (line: string) => {
    world.run(line)
    return world.refusal
  }
  assert.deepEqual(refusal('buy A o1 AAPL 1 @95 bracket take=110 loss=95'), {
    code: 'exitTooNear',
    field: 'stopLossStop',
    bound: 'below',
    basePrice: '95',
  })
  assert.deepEqual(refusal('buy A o1 AAPL 1 bracket take=100.5 loss=95'), {
    code: 'exitTooNear',
    field: 'takeProfitLimit',
    bound: 'above',
    basePrice: '100.5',
  })
})
