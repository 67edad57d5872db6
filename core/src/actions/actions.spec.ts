import assert from 'node:assert/strict'
import test from 'node:test'
import { activitiesOf } from '../account/activities.ts'
import { format, type Price } from '../amount.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { customer, shares, USD } from '../ledger/chart.ts'
import { balance } from '../ledger/ledger.ts'
import type { Order } from '../orders/order.ts'
import { amount } from '../story-lines.ts'
import { Teller } from '../testing.ts'
import type { CivilDate, Instant } from '../time.ts'
import type { ActionTerms } from './action.ts'

/** The day after the Monday on which stories begin; it begins at 05:00 in UTC. */
const TUESDAY = '2026-11-03' as CivilDate
const BEFORE = 'until 2026-11-03T04:59:59Z'
const MOMENT = 'until 2026-11-03T05:00:00Z'
const AAPL = 'AAPL' as Ticker

const split = (newRate: string, oldRate: string): ActionTerms => ({
  kind: 'split',
  newRate: amount(newRate),
  oldRate: amount(oldRate),
})
const dividend = (rate: string, payDate = TUESDAY): ActionTerms => ({
  kind: 'dividend',
  rate: amount(rate) as Price,
  recordDate: TUESDAY,
  payDate: payDate as CivilDate,
  special: false,
})
const rename = (newSymbol: string): ActionTerms => ({
  kind: 'symbolChange',
  newSymbol: newSymbol as Ticker,
})
const delist = (price?: string): ActionTerms =>
  price === undefined ? { kind: 'delisting' } : { kind: 'delisting', price: amount(price) as Price }

class Told extends Teller {
  get account(): AccountId {
    return this.accounts.get('A')!
  }
  plan(terms: ActionTerms, { symbol = 'AAPL', exDate = TUESDAY as string } = {}): string {
    const decision = this.submit({
      kind: 'scheduleAction',
      symbol: symbol as Ticker,
      exDate: exDate as CivilDate,
      terms,
    })
    if (decision.ok) return decision.value[0]!.kind
    const { reason } = decision
    return reason.code === 'actionInvalid' ? `${reason.field} ${reason.rule}` : reason.code
  }
  holding(symbol = 'AAPL'): string {
    const position = this.state.positions.get(this.account)?.get(symbol as Ticker)
    return position ? `${format(position.quantity)} for ${format(position.costBasis)}` : 'nothing'
  }
  cash(): string {
    return format(
      balance(this.state.ledger, customer(this.account, 'settled'), USD) +
        balance(this.state.ledger, customer(this.account, 'unsettled'), USD),
    )
  }
  order(name: string): Order {
    return this.state.orders.get(this.orders.get(name)!)!
  }
  told(name: string): string {
    const { quantity, limit, status, symbol } = this.order(name)
    return `${symbol} ${format(quantity)}${limit === undefined ? '' : ` @${format(limit)}`} ${status}`
  }
}

const world = (...lines: readonly string[]): Told => {
  const told = new Told()
  for (const line of lines) told.tell(line)
  return told
}

const HOLDING = (quantity: string): readonly string[] => [
  'open A 100000',
  'quote AAPL 100 100',
  'trade AAPL 100',
  `buy A o1 AAPL ${quantity}`,
]

for (const [held, terms, then, cash] of [
  // what was held, what happens, what is left for which cost, and how much cash
  ['10', split('4', '1'), '40 for 1000', '99000'],
  ['2.5', split('4', '1'), '10 for 250', '99750'],
  ['5', split('3', '2'), '7.5 for 500', '99500'],
  ['0.333333333', split('3', '2'), '0.499999999 for 33.34', '99966.66'],
  ['100', split('1', '10'), '10 for 10000', '90000'],
  ['105', split('1', '10'), '10 for 10000', '89950'],
  ['4', split('1', '10'), 'nothing', '99960'],
  ['10', rename('PEAR'), 'nothing', '99000'],
  ['10', delist(), 'nothing', '99000'],
  ['10', delist('12.34'), 'nothing', '99123.4'],
  ['2.5', delist('0.01'), 'nothing', '99750.02'],
  ['10', dividend('0.25'), '10 for 1000', '99002.5'],
  ['2.5', dividend('0.33'), '2.5 for 250', '99750.83'],
] as const)
  test(`${held} AAPL for 100 each; ${JSON.stringify(terms, text)}: ${then}, cash ${cash}`, () => {
    const told = world(...HOLDING(held))
    assert.equal(told.plan(terms), 'actionScheduled')
    told.tell(BEFORE)
    const before = told.holding()
    assert.ok(before.startsWith(`${held} for `))
    // The price after a reverse split is ten times that before.
    if (terms.kind === 'split' && terms.newRate < terms.oldRate)
      told.trades.set('AAPL', { ...told.trades.get('AAPL')!, price: amount('900') as Price })
    told.tell(MOMENT)
    assert.deepEqual([told.holding(), told.cash()], [then, cash])
    if (terms.kind === 'symbolChange') assert.equal(told.holding('PEAR'), before)
  })

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? format(value) : value
}

test('what is to settle becomes more as the rest does, and settles', () => {
  const told = world(...HOLDING('10'))
  const of = (part: 'settled' | 'unsettled') =>
    format(balance(told.state.ledger, customer(told.account, part), shares(AAPL)))
  told.plan(split('3', '1'))
  told.tell(MOMENT)
  assert.deepEqual([of('settled'), of('unsettled')], ['0', '30'])
  told.tell('until 2026-11-03T09:00:00Z')
  assert.deepEqual([of('settled'), of('unsettled')], ['30', '0'])
})

test('shares that settle go on under their new name', () => {
  const told = world(...HOLDING('10'))
  told.plan(rename('PEAR'))
  told.tell('until 2026-11-03T09:00:00Z')
  const settled = balance(told.state.ledger, customer(told.account, 'settled'), shares('PEAR' as Ticker))
  assert.equal(format(settled), '10')
})

test('a dividend is earned on the ex-date by whoever holds then, and paid on the pay date', () => {
  const told = world(...HOLDING('10'))
  told.plan(dividend('0.5', '2026-11-05' as CivilDate))
  told.tell(MOMENT)
  assert.equal(told.cash(), '99000')
  told.tell('sell A o2 AAPL 10')
  told.tell('until 2026-11-05T04:59:59Z')
  assert.equal(told.cash(), '100000')
  assert.equal(told.tell('until 2026-11-05T05:00:00Z'), 'dividendPaid dividendsPaid')
  assert.equal(told.cash(), '100005')
  assert.equal(told.state.dividends.size, 0)
})

test('who buys on the ex-date earns nothing', () => {
  const told = world('open A 100000', 'quote AAPL 100 100')
  told.plan(dividend('0.5'))
  told.tell(MOMENT)
  told.tell('buy A o1 AAPL 10')
  told.tell('wait 400000')
  assert.equal(told.cash(), '99000')
})

for (const [line, terms, then] of [
  // an open order, what happens, what becomes of it
  ['buy A o2 AAPL 10 @90 gtc', split('4', '1'), 'AAPL 40 @22.5 new'],
  ['buy A o2 AAPL 10 @90.01 gtc', split('4', '1'), 'AAPL 40 @22.5 new'],
  ['sell A o2 AAPL 10 @110.01 gtc', split('4', '1'), 'AAPL 40 @27.51 new'],
  ['buy A o2 AAPL 5 @90 gtc', split('3', '2'), 'AAPL 7 @60 new'],
  ['sell A o2 AAPL 5 @110 gtc', split('3', '2'), 'AAPL 7 @73.34 new'],
  ['buy A o2 AAPL 10 @90 gtc', split('1', '2'), 'AAPL 10 @90 canceled'],
  ['sell A o2 AAPL 10 @110 gtc', split('1', '2'), 'AAPL 10 @110 canceled'],
  ['buy A o2 AAPL 10 @90 gtc', dividend('0.255'), 'AAPL 10 @89.74 new'],
  ['sell A o2 AAPL 10 @110 gtc', dividend('0.255'), 'AAPL 10 @110 new'],
  ['buy A o2 AAPL 10 @0.2 gtc', dividend('0.25'), 'AAPL 10 @0.2 canceled'],
  ['buy A o2 AAPL 10 @90 gtc', rename('PEAR'), 'PEAR 10 @90 new'],
  ['sell A o2 AAPL 10 @110 gtc', rename('PEAR'), 'PEAR 10 @110 new'],
  ['buy A o2 AAPL 10 @90 gtc', delist('1'), 'AAPL 10 @90 canceled'],
] as const)
  test(`${line}; ${JSON.stringify(terms, text)}: ${then}`, () => {
    const told = world(...HOLDING('20'), line)
    assert.equal(told.plan(terms), 'actionScheduled')
    // The audit of every line compares holds with orders.
    told.tell(MOMENT)
    assert.equal(told.told('o2'), then)
  })

test('an order of the day that waits for its session is split too, and not lowered by a dividend', () => {
  for (const [terms, then] of [
    [split('2', '1'), 'AAPL 20 @45 accepted'],
    [dividend('1'), 'AAPL 10 @90 accepted'],
  ] as const) {
    const told = new Told({ hours: 'nyse' })
    for (const line of ['open A 100000', 'quote AAPL 100 100', 'until 2026-11-02T22:00:00Z']) told.tell(line)
    told.tell('buy A o2 AAPL 10 @90')
    told.plan(terms)
    told.tell(MOMENT)
    assert.equal(told.told('o2'), then)
  }
})

test('what was filled of an order stays as it was; what is left is split', () => {
  const told = new Told({ fillSize: 'displayed' })
  for (const line of ['open A 100000', 'quote AAPL 100 100 4 4', 'trade AAPL 100']) told.tell(line)
  told.tell('buy A o1 AAPL 10 @100 gtc')
  told.plan(split('4', '1'))
  told.tell(MOMENT)
  const { filledQuantity, quantity } = told.order('o1')
  assert.deepEqual([format(filledQuantity), format(quantity)], ['4', '28'])
  assert.equal(told.holding(), '16 for 400')
})

test('a split order fills at its new price', () => {
  const told = world('open A 100000', 'quote AAPL 100 100', 'buy A o1 AAPL 10 @90 gtc')
  told.plan(split('4', '1'))
  told.tell(MOMENT)
  assert.equal(told.tell('quote AAPL 22.5 22.51'), '')
  assert.equal(told.tell('quote AAPL 22.49 22.5'), 'orderFilled')
  assert.equal(told.holding(), '40 for 900')
})

test('an order under another name is filled by the quotes of that name', () => {
  const told = world('open A 100000', 'quote AAPL 100 100', 'buy A o1 AAPL 10 @90 gtc')
  told.plan(rename('PEAR'))
  told.tell(MOMENT)
  assert.equal(told.tell('quote AAPL 80 80'), '')
  assert.equal(told.tell('quote PEAR 80 80'), 'orderFilled')
  assert.equal(told.holding('PEAR'), '10 for 800')
})

for (const [terms, exDate, then] of [
  [split('4', '1'), '2026-11-02', 'exDate must be a day that has not begun'],
  [split('4', '1'), '2026-11-07', 'exDate must be a trading day'],
  [split('0', '1'), TUESDAY, 'newRate must be more than 0'],
  [split('1', '0'), TUESDAY, 'oldRate must be more than 0'],
  [split('2', '2'), TUESDAY, 'newRate must be another than the old rate'],
  [split('1001', '1'), TUESDAY, 'newRate must be at most 1000 times the old rate, or the other way round'],
  [split('200', '1'), TUESDAY, 'newRate must leave a price of at least 1, and would leave 0.5'],
  [dividend('0'), TUESDAY, 'rate must be more than 0'],
  [dividend('50.01'), TUESDAY, 'rate must be at most half the price, which is 100'],
  [dividend('1', '2026-11-02' as CivilDate), TUESDAY, 'payDate must not be before the record date'],
  [dividend('1'), '2026-11-04', 'recordDate must not be before the ex-date'],
  [rename('pear'), TUESDAY, 'newSymbol must be a symbol of a stock'],
  [rename('AAPL'), TUESDAY, 'newSymbol AAPL is taken'],
  [delist('-1'), TUESDAY, 'price must not be less than 0'],
] as const)
  test(`${JSON.stringify(terms, text)} on ${exDate}: ${then}`, () => {
    const told = world('open A 100000', 'quote AAPL 100 100', 'trade AAPL 100')
    const { seq } = told.state
    assert.equal(told.plan(terms, { exDate }), then)
    assert.equal(told.state.seq, seq)
  })

test('a symbol that is unknown, a coin, or one that has ended', () => {
  const told = world('open A 100000', 'quote AAPL 100 100', 'quote BTC/USD 1000 1000')
  assert.equal(told.plan(delist(), { symbol: 'NONE' }), 'assetNotFound')
  assert.equal(told.plan(delist(), { symbol: 'BTC/USD' }), 'symbol must be of a stock')
  told.assets.set('OLD', { status: 'inactive' })
  assert.equal(told.plan(delist(), { symbol: 'OLD' }), 'symbol must be of an asset that is active')
})

test('on one day one thing happens to a symbol, and nothing after its end', () => {
  const told = world('open A 100000', 'quote AAPL 100 100')
  told.plan(split('2', '1'), { exDate: '2026-11-05' })
  assert.match(told.plan(dividend('1'), { exDate: '2026-11-05' }), /^exDate must be another than that of /)
  assert.match(told.plan(delist(), { exDate: '2026-11-04' }), /^exDate must be after 2026-11-05/)
  assert.equal(told.plan(rename('PEAR'), { exDate: '2026-11-06' }), 'actionScheduled')
  assert.match(told.plan(split('2', '1'), { exDate: '2026-11-09' }), /^exDate must be before 2026-11-06/)
  told.tell('quote MSFT 1 1')
  assert.equal(told.plan(rename('PEAR'), { symbol: 'MSFT' }), 'newSymbol PEAR is taken')
})

test('what lies ahead can be taken back, and then never happens; what has happened cannot', () => {
  const told = world(...HOLDING('10'))
  told.plan(split('4', '1'))
  const [actionId] = [...told.state.actions.keys()]
  const cancel = () => told.submit({ kind: 'cancelAction', actionId: actionId! })
  assert.ok(cancel().ok)
  assert.deepEqual(cancel(), { ok: false, reason: { code: 'actionNotFound', id: actionId } })
  told.tell(MOMENT)
  assert.equal(told.holding(), '10 for 1000')
  told.plan(split('4', '1'), { exDate: '2026-11-04' })
  told.tell('until 2026-11-04T05:00:00Z')
  const [later] = [...told.state.actions.keys()]
  assert.deepEqual(told.submit({ kind: 'cancelAction', actionId: later! }), {
    ok: false,
    reason: { code: 'actionAlreadyApplied', id: later },
  })
})

test('shares behind tokens are not touched: an action is refused while there are some, a mint while one lies ahead', () => {
  const told = world('open I 0', 'issuer I xstocks AAPL solana', ...HOLDING('10'), 'link A xstocks')
  told.plan(split('4', '1'))
  assert.equal(told.tell('mint A m1 AAPL 2'), 'tokenActionPending')
  told.submit({ kind: 'cancelAction', actionId: [...told.state.actions.keys()][0]! })
  told.plan(dividend('1'))
  assert.equal(told.tell('mint A m1 AAPL 2'), 'mintRequested')
  assert.equal(told.plan(split('4', '1'), { exDate: '2026-11-04' }), 'actionOnTokens')
  for (const line of ['job m1', 'accept m1', 'complete m1 0x1']) told.tell(line)
  assert.equal(told.plan(split('4', '1'), { exDate: '2026-11-04' }), 'actionOnTokens')
  assert.equal(told.plan(rename('PEAR'), { exDate: '2026-11-04' }), 'actionOnTokens')
})

test('a world that slept through the moment does it as it wakes', () => {
  const told = world(...HOLDING('10'))
  told.plan(split('4', '1'))
  told.now = (told.now + 3n * 86_400_000_000_000n) as Instant
  assert.match(told.tell('wait 0'), /actionApplied sharesChanged/)
  assert.equal(told.holding(), '40 for 1000')
})

for (const [terms, then] of [
  [split('4', '1'), ['split forwardSplit AAPL 30 cash 0']],
  [split('1', '4'), ['split reverseSplit AAPL -8 cash 50 at 100']],
  [rename('PEAR'), ['nameChange symbolChange AAPL -10 cash 0', 'nameChange symbolChange PEAR 10 cash 0']],
  [delist(), ['reorganization worthless AAPL -10 cash 0']],
  [delist('7'), ['reorganization  AAPL -10 cash 70 at 7']],
  [dividend('0.5'), ['dividend cashDividend AAPL  cash 5 each 0.5']],
] as const)
  test(`${JSON.stringify(terms, text)} is told as ${then.join(' and ')}`, () => {
    const told = world(...HOLDING('10'))
    told.plan(terms)
    told.tell(BEFORE)
    const from = told.events.length
    told.tell(MOMENT)
    const rows = told.events.slice(from).flatMap((event, index) => activitiesOf(event, index))
    assert.deepEqual(
      rows.map(({ kind, sort = '', symbol, quantity, cash, price, perShare }) =>
        [
          `${kind} ${sort} ${symbol} ${quantity === undefined ? '' : format(quantity)} cash ${format(cash)}`,
          price === undefined ? '' : ` at ${format(price)}`,
          perShare === undefined ? '' : ` each ${format(perShare)}`,
        ].join(''),
      ),
      then,
    )
  })

test('watchlists have the new name in the place of the old', () => {
  const told = world('open A 100000', 'quote AAPL 100 100', 'quote MSFT 100 100')
  const limits = { lists: 10, symbols: 10 }
  const symbols = ['MSFT', 'AAPL'] as Ticker[]
  told.submit({ kind: 'createWatchlist', accountId: told.account, name: 'mine', symbols, limits })
  told.plan(rename('PEAR'))
  told.tell(MOMENT)
  const [list] = [...told.state.watchlists.get(told.account)!.values()]
  assert.deepEqual(list!.symbols, ['MSFT', 'PEAR'])
})
