import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, type JournalEvent, type LoggedRequest, type Quipu } from '@quipu/sdk'
import type { Locator, Page } from 'playwright-core'
import { textOf } from '../../web/src/format/decimal.ts'
import { gapMs } from '../../web/src/format/times.ts'
import {
  drawdownOf,
  eventReactionsOf,
  exposureOf,
  fillRateOf,
  reactionsOf,
  slippageOf,
} from '../../web/src/risk/risk-figures.ts'
import { commonDemo } from './demo.ts'
import { riskNumbers } from './risk-numbers.ts'
import { settles } from './settles.ts'
import { assertAccessible, assertFits, openStage, visit } from './stage.ts'

const { broker, operator } = await openStage()
const world = await commonDemo()

const fill = (cash: string, price: string, bid: string, ask: string, quantity: string): JournalEvent =>
  ({
    order_id: 'o',
    event: {
      ...{ symbol: 'AAPL', price, quantity, cash: '1', quote: { bid, ask } },
      posting: [{ account: 'customer:a:unsettled', asset: 'USD', amount: cash }],
    },
  }) as unknown as JournalEvent

for (const [title, event, expected] of [
  ['a buy at the ask costs half the spread', fill('-1', '100.03', '100', '100.03', '3'), '-0.045'],
  ['a sell at the bid too', fill('1', '100', '100', '100.03', '3'), '-0.045'],
  ['a buy below the middle is a gain', fill('-1', '99', '100', '101', '2.5'), '3.75'],
] as const)
  test(title, () => assert.equal(Number(textOf(slippageOf(event).amount)), Number(expected)))

test('exposure, drawdown, fill rate and reactions', () => {
  const { gross, net, bySymbol } = exposureOf([
    { symbol: 'A', market_value: '100.5' },
    { symbol: 'B', market_value: '-200' },
  ])
  assert.deepEqual([textOf(gross), textOf(net), bySymbol[0]?.symbol], ['300.5', '-99.5', 'B'])
  assert.deepEqual(drawdownOf([100, 80, 90]), { now: (90 / 100 - 1) * 100, deepest: (80 / 100 - 1) * 100 })
  const rate = fillRateOf([
    { status: 'filled', qty: '10', filled_qty: '10' },
    { status: 'canceled', qty: '30', filled_qty: '10' },
  ] as never)
  assert.deepEqual([rate.count, rate.full, textOf(rate.filled), textOf(rate.wanted)], [2, 1, '20', '40'])
  const request = (at: number, ms: number, operation: string, source = 'program') =>
    ({ at: new Date(at).toISOString(), ms, operation, source, key_id: 'k' }) as LoggedRequest
  assert.deepEqual(
    reactionsOf([
      request(0, 2, 'listOrders'),
      request(5, 1, 'placeOrder'),
      request(7, 0, 'placeOrder', 'dashboard'),
      request(10, 1, 'placeOrder'),
      request(100_000, 1, 'placeOrder'),
    ]),
    [3, 4],
  )
})

const numberIn = (text: string): number =>
  Number(/-?[\d,]*\.?\d+/.exec(text.replace('−', '-').replace('95 %', ''))?.[0].replaceAll(',', ''))

/** What is wrong with a text that shows a number, rounded to the places of the text. */
function wrong(text: string, value: number, label: string): readonly string[] {
  const places = /\d\.(\d+)/.exec(text)?.[1]?.length ?? 0
  const isShown = Math.abs(numberIn(text) - value) <= 0.5 * 10 ** -places + 1e-6
  return isShown ? [] : [`${label}: ${text} for ${value}`]
}

type RiskNumbers = Awaited<ReturnType<typeof riskNumbers>>

/** What the panel shows that differs from the numbers of the API. */
async function panelProblems(panel: Locator, expected: RiskNumbers): Promise<readonly string[]> {
  const shown = new Map<string, readonly [string, string]>()
  for (const figure of await panel.locator('.stats > div').all()) {
    const [label = '', value = '', about = ''] = await figure.locator('p, b').allTextContents()
    shown.set(label, [value, about])
  }
  const exposures = await Promise.all(
    expected.bySymbol.map(async ([symbol, value]) => {
      const text = await panel.locator(`[data-number="exposure.${symbol}"]`).textContent()
      return wrong(text!, Math.abs(value), symbol)
    }),
  )
  const slippages = await panel.locator('.slippages .n').allTextContents()
  return [
    ...(shown.get('Market event to order')?.[0] === '1 min 30 s' ? [] : ['the time from event to order']),
    ...expected.numbers.flatMap(([label, value, about]) => {
      const [valueText, aboutText] = shown.get(label) ?? ['', '']
      return [...wrong(valueText, value, label), ...wrong(aboutText, about, `below ${label}`)]
    }),
    ...exposures.flat(),
    ...(slippages.length === expected.slippages.length ? [] : [`${slippages.length} fills`]),
    ...expected.slippages
      .toReversed()
      .flatMap((value, index) => wrong(slippages[index] ?? '', value, `fill ${index}`)),
  ]
}

test('each figure of the panel is the one that the API gives', async (t) => {
  const played = await playedDay()
  const page = await visit(t, `/activity?tab=risk&world=${played.world}`)
  const panel = page.getByRole('region', { name: 'Risk of the account' })
  await panel.getByText('Slippage of the latest fills').waitFor()
  const token = await tokenOfPage(page, played.world)
  await played.trade(createQuipu({ url: broker.url, accessToken: token }))
  const expected = await riskNumbers({ operator, ...played })
  assert.deepEqual(expected.reactions, [30, 90, 165])
  await panel.getByText('worst 2 min 45 s, 3 events', { exact: true }).waitFor()
  await settles(() => panelProblems(panel, expected))
  await assertAccessible(page)
})

test('without an order of a program after a market event there is no reaction time', async (t) => {
  const { world: quiet } = await operator.createWorld({
    body: {
      start: AT('14:40:00'),
      hours: 'nyse',
      market_events: [{ kind: 'crash', at: AT('14:41:00'), depth: '0.05' }],
    },
  })
  await operator.advanceClock({ params: { world: quiet }, body: { to: AT('14:50:00') } })
  const page = await visit(t, `/activity?tab=risk&world=${quiet}`)
  const figure = page.locator('.stats > div').filter({ hasText: 'Market event to order' })
  await figure.getByText('no order of a program after one').waitFor()
  assert.equal(await figure.locator('b').textContent(), '–')
})

test('the reaction to a market event is the time until the next order of a program', () => {
  const at = (second: number) => Date.parse(AT('15:00:00')) + second * 1000
  const order = (second: number, id?: string) =>
    ({ at: new Date(at(second)).toISOString(), ...(id && { request_id: id }) }) as JournalEvent
  const orders = [order(5), order(10, 'page'), order(30, 'bot'), order(70, 'dropped'), order(90, 'bot')]
  const sources = new Map([
    ['page', 'dashboard'],
    ['bot', 'program'],
  ] as const)
  const times = (...starts: readonly number[]) => eventReactionsOf(starts.map(at), orders, sources)
  assert.deepEqual(times(0), [30_000], 'orders of no request and of the dashboard are not reactions')
  assert.deepEqual(times(30, 31, 75, 91), [0, 15_000], 'an unknown source may be the dashboard')
  assert.deepEqual(eventReactionsOf([at(0)], [], sources), [])
})

test('a gap begins at the open of New York, also in summer, and for a coin at midnight in UTC', () => {
  const startOf = (on: string, symbol?: string) => new Date(gapMs(on, symbol)).toISOString()
  assert.equal(startOf('2026-01-05'), '2026-01-05T14:30:00.000Z')
  assert.equal(startOf('2026-07-06'), '2026-07-06T13:30:00.000Z')
  assert.equal(startOf('2026-07-06', 'BTC/USD'), '2026-07-06T00:00:00.000Z')
})

test('a phone shows the panel', async (t) => {
  const page = await visit(t, `/activity?tab=risk&world=${world}`, { viewport: { width: 390, height: 844 } })
  await page.getByText('Exposure by symbol').waitFor()
  await assertFits(page)
})

const AT = (time: string): string => `2026-01-05T${time}Z`

type Played = {
  readonly world: string
  readonly accountId: string
  readonly bot: Quipu
  /** The second half of the day, in which a person also trades, with the dashboard. */
  readonly trade: (person: Quipu) => Promise<void>
}

/** A day with market events. The bot orders 30, 90 and 165 s after them, and not after the last one. */
async function playedDay(): Promise<Played> {
  const { world, accounts } = await operator.createWorld({
    body: {
      start: AT('14:40:00'),
      hours: 'nyse',
      seed: '7',
      market_events: [
        { kind: 'thin', symbol: 'AAPL', from: AT('14:35:00'), to: AT('14:37:00'), times: '2' },
        { kind: 'crash', at: AT('14:50:00'), depth: '0.05', minutes: 14, recovers: true },
        { kind: 'halt', symbol: 'AMD', from: AT('15:10:00'), to: AT('15:15:00') },
        { kind: 'thin', symbol: 'KO', from: AT('15:30:00'), to: AT('15:40:00'), times: '4' },
        { kind: 'halt', symbol: 'AMD', from: AT('15:44:00'), to: AT('15:50:00') },
      ],
    },
  })
  const { key_id: keyId, secret_key: secretKey, account_id: accountId } = accounts[0]!
  const bot = createQuipu({ url: broker.url, keyId, secretKey })
  const advance = (time: string) => operator.advanceClock({ params: { world }, body: { to: AT(time) } })
  const order = (by: Quipu, side: 'buy' | 'sell', qty: string, symbol: string, limit?: string) =>
    by.orders.place({
      ...{ side, qty, symbol },
      ...(limit === undefined ? { type: 'market' } : { type: 'limit', limitPrice: limit }),
    } as never)
  await advance('14:45:00')
  await order(bot, 'buy', '200', 'AAPL')
  await order(bot, 'sell', '10', 'TSLA')
  await advance('14:50:30')
  await order(bot, 'sell', '5', 'AAPL')
  const { id } = await order(bot, 'buy', '40', 'NVDA', '1.00')
  return {
    world,
    accountId,
    bot,
    trade: async (person) => {
      await advance('15:10:10')
      await order(person, 'buy', '3', 'KO')
      await advance('15:11:30')
      await order(bot, 'buy', '7', 'KO')
      await advance('15:32:45')
      await order(bot, 'sell', '2', 'KO')
      await bot.orders.cancel(id)
      await advance('15:45:00')
    },
  }
}

/** The token with which the page reads its account: requests with it are of the dashboard. */
async function tokenOfPage(page: Page, world: string): Promise<string> {
  const isOfAccount = page.waitForRequest(
    (request) => /\/v2\//.test(request.url()) && request.headers()['authorization'] !== undefined,
  )
  await page.reload()
  assert.ok(page.url().includes(world))
  return (await isOfAccount).headers()['authorization']!.replace('Bearer ', '')
}
