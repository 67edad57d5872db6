import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Evidence } from './evidence.ts'
import { differs, judge, unfit } from './judge.ts'

const at = '2026-01-05T15:00:00Z'
const order = (clientOrderId: string, terms = 'buy 2 AAPL') => {
  const [side, quantity, symbol] = terms.split(' ') as [string, string, string]
  return { id: `id of ${clientOrderId}`, clientOrderId, side, quantity, symbol, at }
}
const sent = (clientOrderId: string | undefined, status?: number) => ({
  clientOrderId,
  symbol: 'AAPL',
  side: 'buy',
  status,
  isComplete: status !== undefined,
})
const fill = (isKnown: boolean) => ({ number: 20, what: 'fill of order 1', isKnown })

const baseline: Evidence = {
  exit: 0,
  seconds: 1,
  placements: [sent('a', 200)],
  requests: [{ at, what: 'POST /v2/orders buy 2 AAPL', clientOrderId: 'a' }],
  orders: [order('a')],
  shares: new Map([['AAPL', 2]]),
  updates: [fill(true)],
  hasStream: true,
  consumed: [],
}
const drill = { name: 'answer-lost', about: '', expects: 'trades' } as const
const judged = (changes: Partial<Evidence>, base = baseline) => {
  const { result, reasons } = judge(drill, { ...baseline, consumed: [1], ...changes }, base)
  return [result, ...reasons]
}

for (const [name, changes, ...expected] of [
  ['the same run', {}, 'passed'],
  ['the same id twice', { placements: [sent('a'), sent('a', 422)] }, 'passed'],
  ['no fault met', { consumed: [0] }, 'skipped', 'the program never did what this drill disturbs'],
  [
    'one of two faults met',
    { consumed: [1, 0] },
    'skipped',
    'the program never did what this drill disturbs',
  ],
  [
    'no fault met before the end of the time',
    { consumed: [0], exit: undefined, seconds: 60 },
    'failed',
    'the program did not end within 60 seconds',
  ],
  [
    'another id for the same order',
    {
      placements: [sent('a'), sent('b', 200)],
      orders: [order('a'), order('b')],
      shares: new Map([['AAPL', 4]]),
    },
    'failed',
    'orders that it does not place without faults: buy 2 AAPL (b)',
    '4 shares of AAPL instead of 2',
  ],
  [
    'another id after a lost request',
    { placements: [sent('a'), sent('b', 200)], orders: [order('b')] },
    'failed',
    'the order a got no clear response, and was not sent again under the same id',
  ],
  ['another id after 429', { placements: [sent('a', 429), sent('b', 200)], orders: [order('b')] }, 'passed'],
  [
    'another id after 503',
    { placements: [sent('a', 503), sent('b', 200)], orders: [order('b')] },
    'failed',
    'the order a got no clear response, and was not sent again under the same id',
  ],
  [
    'no order',
    { placements: [sent(undefined)], orders: [], shares: new Map(), updates: [], exit: 3 },
    'failed',
    'orders that it gave up: buy 2 AAPL (a)',
    '0 shares of AAPL instead of 2',
    'the program ended with exit code 3 instead of 0',
  ],
  ['a missed fill', { updates: [fill(false)] }, 'failed', 'the program cannot know of fill of order 1'],
  ['no end', { exit: undefined, seconds: 8.4 }, 'failed', 'the program did not end within 8 seconds'],
] as readonly (readonly [string, Partial<Evidence>, ...string[]])[])
  test(`${name}: ${expected.join('; ')}`, () => assert.deepEqual(judged(changes), expected))

test('updates are not measured for a program that never follows its orders', () => {
  const careless = { ...baseline, updates: [fill(false)] }
  assert.deepEqual(judged({ updates: [fill(false)] }, careless), ['passed'])
  const { checks } = judge(drill, { ...careless, consumed: [1] }, careless)
  assert.equal(checks.updates.result, 'not_measured')
})

for (const [changes, reason] of [
  [{}, undefined],
  [{ exit: 1 }, 'the program ends with exit code 1 without faults'],
  [{ orders: [] }, 'the program placed no order without faults'],
  [
    { exit: undefined },
    'the program does not end without faults: raise --limit, let it end by itself, or drill it in a replay with --from and --to',
  ],
] as readonly (readonly [Partial<Evidence>, string | undefined])[])
  test(`${JSON.stringify(changes)}: ${reason ?? 'fit'}`, () =>
    assert.equal(unfit({ ...baseline, ...changes }), reason))

test('a program that trades differently each time cannot be judged', () => {
  assert.equal(differs(baseline, baseline), undefined)
  assert.equal(
    differs(baseline, { ...baseline, orders: [order('a', 'buy 3 AAPL')] }),
    'the program traded differently in two runs without faults: buy 2 AAPL; then buy 3 AAPL',
  )
})

test('a failed drill names the request of an order too many, or the first one that is new, or the last', () => {
  const read = { at, what: 'GET /v2/orders' }
  const placed = (clientOrderId: string) => ({ at, what: 'POST /v2/orders buy 2 AAPL', clientOrderId })
  const wrongAt = (changes: Partial<Evidence>) => judge(drill, { ...baseline, ...changes }, baseline).wrong_at
  const orders = [order('a'), order('b')]
  assert.deepEqual(wrongAt({ orders, requests: [read, placed('a'), placed('b')] }), {
    request: 3,
    at,
    what: 'POST /v2/orders buy 2 AAPL',
  })
  assert.equal(wrongAt({ exit: 1, requests: [placed('a'), read] })?.request, 2)
  assert.equal(wrongAt({ exit: 1 })?.request, 1)
  assert.equal(wrongAt({}), undefined)
})

test('a drill that the program may meet with other trades asks that it goes on, and loses no order', () => {
  const other = { name: 'account-blocked', about: '', expects: 'goes on' } as const
  const verdict = (changes: Partial<Evidence>) =>
    judge(other, { ...baseline, isDisturbed: true, ...changes }, { ...baseline, hasFinished: true })
  assert.equal(
    verdict({ orders: [order('c', 'buy 9 KO')], placements: [sent('c', 200)], shares: new Map() }).result,
    'passed',
  )
  assert.equal(verdict({ isDisturbed: false }).result, 'skipped')
  assert.deepEqual(verdict({ hasFinished: false, exit: 1 }).reasons, [
    'the program ended before the end of the replay, with exit code 1',
  ])
  assert.match(verdict({ placements: [sent('d')] }).reasons[0]!, /^the order d got no clear response/)
})
