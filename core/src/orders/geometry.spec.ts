import assert from 'node:assert/strict'
import test from 'node:test'
import { TestWorld } from '../testing/world.ts'

/** What a line is refused with: its code and what else it says. Nothing where it is taken. */
function refused(line: string): string {
  const world = new TestWorld()
  const scene = ['open A 100000', 'open B 100000', 'quote AAPL 99 101', 'trade AAPL 100', 'buy B b1 AAPL 10']
  for (const each of [...scene, 'open C 100000', 'sell C c1 AAPL 10']) world.run(each)
  const told = world.run(line)
  return told.startsWith('orderAccepted') ? 'taken' : told
}

for (const [line, then] of [
  // A stop lies beyond the last trade, which was at 100.
  ['buy A o1 AAPL 1 stop=100.01', 'taken'],
  ['buy A o1 AAPL 1 stop=100', 'stopBeyondMarket'],
  ['buy A o1 AAPL 1 stop=99', 'stopBeyondMarket'],
  ['sell B o1 AAPL 1 stop=99.99', 'taken'],
  ['sell B o1 AAPL 1 stop=100', 'stopBeyondMarket'],
  ['sell B o1 AAPL 1 stop=101 @99', 'stopBeyondMarket'],
  ['sell B o1 AAPL 1 trail=99', 'taken'],
  ['sell B o1 AAPL 1 trail=100', 'trailPriceTooLarge'],
  ['buy A o1 AAPL 1 trail=100', 'taken'],
  // Of a bracket that enters at the market.
  ['buy A o1 AAPL 1 bracket take=110 loss=90', 'taken'],
  ['buy A o1 AAPL 1 bracket take=100.01 loss=99.99', 'taken'],
  ['buy A o1 AAPL 1 bracket take=100 loss=90', 'exitTooNear'],
  ['buy A o1 AAPL 1 bracket take=110 loss=100', 'exitTooNear'],
  ['buy A o1 AAPL 1 bracket take=110 loss=110', 'exitsCrossed'],
  ['buy A o1 AAPL 1 bracket take=90 loss=110', 'exitsCrossed'],
  // By its limit, and a stop always by the market too.
  ['buy A o1 AAPL 1 @95 bracket take=95.01 loss=94.99', 'taken'],
  ['buy A o1 AAPL 1 @95 bracket take=95 loss=90', 'exitTooNear'],
  ['buy A o1 AAPL 1 @95 bracket take=110 loss=95', 'exitTooNear'],
  ['buy A o1 AAPL 1 @110 bracket take=120 loss=100', 'exitTooNear'],
  ['buy A o1 AAPL 1 @110 bracket take=120 loss=99.99', 'taken'],
  // What enters by a sale leaves the other way round.
  ['sell A o1 AAPL 1 bracket take=90 loss=110', 'taken'],
  ['sell A o1 AAPL 1 bracket take=99.99 loss=100.01', 'taken'],
  ['sell A o1 AAPL 1 bracket take=100 loss=110', 'exitTooNear'],
  ['sell A o1 AAPL 1 bracket take=90 loss=100', 'exitTooNear'],
  ['sell A o1 AAPL 1 bracket take=110 loss=90', 'exitsCrossed'],
  ['sell A o1 AAPL 1 @105 bracket take=104.99 loss=105.01', 'taken'],
  // One exit alone.
  ['buy A o1 AAPL 1 oto take=110', 'taken'],
  ['buy A o1 AAPL 1 oto loss=90', 'taken'],
  ['buy A o1 AAPL 1 oto take=99', 'exitTooNear'],
  ['buy A o1 AAPL 1 oto loss=101', 'exitTooNear'],
  // Two exits: of what is long, of what is short, and of nothing.
  ['sell B o1 AAPL 10 @110 oco loss=90', 'taken'],
  ['sell B o1 AAPL 10 @110 oco loss=90 losslimit=89', 'taken'],
  ['sell B o1 AAPL 10 @110 oco loss=110', 'exitsCrossed'],
  ['sell B o1 AAPL 10 @99 oco loss=98.99', 'taken'],
  ['sell B o1 AAPL 10 @110 oco loss=100', 'exitTooNear'],
  ['buy C o1 AAPL 10 @90 oco loss=110', 'taken'],
  ['buy C o1 AAPL 10 @90 oco loss=100', 'exitTooNear'],
  ['buy C o1 AAPL 10 @110 oco loss=90', 'exitsCrossed'],
  ['buy A o1 AAPL 10 @90 oco loss=110', 'ocoMustClose'],
  ['sell B o1 AAPL 1 bracket take=90 loss=110', 'groupMustOpen'],
  ['buy C o1 AAPL 1 oto take=110', 'groupMustOpen'],
] as const)
  test(`${line}: ${then}`, () => assert.equal(refused(line), then))

test('a refusal names the base an exit is too near to', () => {
  const world = new TestWorld()
  for (const line of ['open A 100000', 'quote AAPL 99 101', 'trade AAPL 100.5']) world.run(line)
  const place = (line: string) => {
    world.run(line)
    return world.refusal
  }
  assert.deepEqual(place('buy A o1 AAPL 1 @95 bracket take=110 loss=95'), {
    code: 'exitTooNear',
    field: 'stopLossStop',
    bound: 'below',
    basePrice: '95',
  })
  assert.deepEqual(place('buy A o1 AAPL 1 bracket take=100.5 loss=95'), {
    code: 'exitTooNear',
    field: 'takeProfitLimit',
    bound: 'above',
    basePrice: '100.5',
  })
})
