import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import {
  type CivilDate,
  foldTrades,
  fromNewYork,
  type Instant,
  type MarketEvent,
  type TapeMessage,
  type Ticker,
  type TickQuery,
  type Trade,
} from '@quipu/core'
import { syntheticMarket } from './synthetic/synthetic.ts'

const DATE = '2026-11-13' as CivilDate
const SECOND = 1_000_000_000n
const FRAME = { unit: 'minute', count: 1 } as const
const [KO, AAPL] = ['KO', 'AAPL'] as [Ticker, Ticker]

const at = (minute: number, seconds = 0): Instant =>
  (fromNewYork(DATE, minute) + BigInt(seconds) * SECOND) as Instant
const later = (from: Instant, seconds: number): Instant => (from + BigInt(seconds) * SECOND) as Instant
const worldOf = (marketEvents: readonly MarketEvent[]) =>
  syntheticMarket({ seed: 'events', hours: 'nyse', marketEvents })
const all = (symbol: Ticker, from: Instant, to: Instant, now = to): TickQuery => ({
  symbol,
  from,
  to,
  now,
  sort: 'asc',
  limit: 1_000_000,
})

const halt: MarketEvent = { kind: 'halt', symbol: KO, from: at(600), to: at(620), reason: 'newsPending' }
const pause: MarketEvent = { kind: 'pause', symbol: AAPL, at: at(600), minutes: 5, limit: 'down', percent: 5 }

test('a halted symbol has no quote and fills no order until it trades again', async () => {
  const { pricesAt, schedule } = worldOf([halt])
  assert.ok(pricesAt(later(at(600), -1)).quote(KO))
  for (const moment of [at(600), at(610), at(620)]) assert.equal(pricesAt(moment).quote(KO), undefined)
  assert.ok(pricesAt(at(610)).trade(KO), 'the last price stays known')
  const touch = await schedule.nextTouch({
    symbol: KO,
    side: 'buy',
    price: 10n ** 12n,
    from: at(605),
    to: at(700),
  })
  assert.ok(touch !== undefined && touch > at(620) && touch < at(621))
  assert.equal(pricesAt(touch).quote(KO)?.at, touch)
  assert.equal(await schedule.nextQuote(KO, at(605), at(620)), undefined)
})

test('halts, pauses and resumptions are published at their times, with the codes of the tape', async () => {
  const { pricesAt, history } = worldOf([halt, pause])
  const summaryOf = (events: readonly TapeMessage[]) =>
    events.map((event) => [event.at, event.kind, ...('code' in event ? [event.code, event.reason] : [])])
  assert.deepEqual(summaryOf(await history.events(all(KO, at(575), at(940)))), [
    [at(600), 'status', '2', 'P'],
    [at(620), 'status', '3', ''],
  ])
  const events = await history.events(all(AAPL, at(575), at(940)))
  assert.deepEqual(summaryOf(events), [
    [at(600), 'luld'],
    [at(600), 'status', 'P', 'LUDP'],
    [at(605), 'status', 'T', ''],
  ])
  const [bands] = events
  const last = pricesAt(at(601)).trade(AAPL)!.price
  assert.ok(bands?.kind === 'luld' && bands.down === last && bands.up > last)
  assert.deepEqual(
    summaryOf(await history.events({ ...all(AAPL, at(575), at(940)), now: at(602) })).length,
    2,
  )
})

const late: MarketEvent = { kind: 'late', share: 0.1 }
const mistakes: MarketEvent = { kind: 'mistakes', share: 0.1 }

for (const [name, marketEvents] of [
  ['late trades', [late]],
  ['mistakes', [mistakes]],
  ['both', [late, mistakes]],
] as const) {
  const { history } = worldOf(marketEvents)
  const withoutErrors = worldOf([])
  const minute = at(600)
  const minuteAt = async (now: Instant) =>
    (
      await history.bars({ symbol: KO, frame: FRAME, from: minute, to: minute, now, sort: 'asc', limit: 1 })
    )[0]

  test(`${name}: a minute is published, revised after half a minute, and then final`, async () => {
    const [first, again] = [await minuteAt(at(601)), await minuteAt(at(601, 30))]
    assert.notDeepEqual(first, again)
    assert.deepEqual(await minuteAt(at(601, 29)), first)
    assert.deepEqual(await minuteAt(at(900)), again)
    const [right] = await withoutErrors.history.bars({
      symbol: KO,
      frame: FRAME,
      from: minute,
      to: minute,
      now: at(601),
      sort: 'asc',
      limit: 1,
    })
    assert.deepEqual(again, right)
    const events = await history.events(all(KO, at(601), at(601, 59)))
    const updated = events.filter((event) => event.kind === 'updatedBar')
    assert.deepEqual(
      updated.map((event) => [event.at, event.bar]),
      [[at(601, 30), again]],
    )
    assert.ok(events.slice(0, -1).every((event) => event.kind !== 'updatedBar' && event.at < at(601, 30)))
  })

  test(`${name}: live trades match the bars and the list of trades`, async () => {
    const listed = await history.trades(all(KO, minute, (at(601) - 1n) as Instant, at(700)))
    // Live trades are those reported at their own time, without later updates.
    const live = listed
      .filter((trade) => trade.reportedAt === undefined)
      .map(({ update: _, ...trade }): Trade => trade)
    assert.deepEqual(foldTrades(live, FRAME), [await minuteAt(at(601))])
    assert.deepEqual(foldTrades(listed, FRAME), [await minuteAt(at(602))])
    const events = await history.events(all(KO, at(601), at(601, 59)))
    const revisions = events.filter((event) => event.kind !== 'updatedBar')
    assert.equal(
      revisions.length,
      listed.filter((trade) => trade.reportedAt ?? trade.update === 'canceled').length,
    )
    assert.deepEqual(
      await history.trades(all(KO, minute, (at(601) - 1n) as Instant, at(601))),
      live,
      'at the end of the minute the list has the published trades',
    )
  })

  for (const sort of ['asc', 'desc'] as const)
    test(`${name}: pages of trades and events, ${sort}, joined, equal the full list`, async () => {
      for (const list of [history.trades, history.events]) {
        const query = { ...all(KO, at(600), at(602)), sort }
        const whole: readonly { at: Instant; id: number }[] = await list(query)
        const joined: { at: Instant; id: number }[] = []
        for (
          let page: readonly { at: Instant; id: number }[] = await list({ ...query, limit: 3 });
          page.length > 0;
        ) {
          joined.push(...page)
          page = await list({ ...query, limit: 3, after: page.at(-1)! })
        }
        assert.ok(whole.length > 5)
        assert.deepEqual(joined, whole)
      }
    })

  test(`${name}: the current day matches its minutes`, async () => {
    for (const [now, seconds] of [
      [at(601), 10],
      [at(601), 40],
    ] as const) {
      const moment = later(now, seconds)
      const day = {
        symbol: KO,
        from: fromNewYork(DATE, 0),
        to: moment,
        now: moment,
        sort: 'asc',
        limit: 2000,
      } as const
      const [whole] = await history.bars({ ...day, frame: { unit: 'day', count: 1 } })
      const minutes = await history.bars({ ...day, frame: FRAME })
      assert.equal(
        whole!.volume,
        minutes.reduce((sum, { volume }) => sum + volume, 0),
      )
      assert.equal(
        whole!.trades,
        minutes.reduce((sum, { trades }) => sum + trades, 0),
      )
      assert.equal(whole!.close, minutes.at(-1)!.close)
    }
  })
}

for (const [name, marketEvents] of [
  ['late', late],
  ['corrected', mistakes],
] as const)
  test(`a ${name} trade is listed from the time of its report`, async () => {
    const { history } = worldOf([marketEvents])
    const hour = all(KO, at(600), at(610), at(700))
    const reported = (await history.trades(hour)).filter(({ reportedAt }) => reportedAt !== undefined)
    assert.ok(reported.length > 5)
    for (const { id, reportedAt } of reported.slice(0, 5)) {
      const isListed = async (now: bigint): Promise<boolean> =>
        (await history.trades({ ...hour, now: now as Instant })).some((trade) => trade.id === id)
      assert.equal(await isListed(reportedAt!), true)
      assert.equal(await isListed(reportedAt! - 1n), false)
    }
  })

test('the newest trade is not a canceled one', async () => {
  const { history } = worldOf([{ kind: 'mistakes', share: 0.9 }])
  for (let step = 0; step < 40; step++) {
    const now = later(at(600), step * 7)
    const newest = await history.latestTrade(KO, now)
    assert.ok(newest && newest.at <= now && newest.update !== 'canceled' && newest.update !== 'incorrect')
  }
})

const KINDS: readonly MarketEvent[] = [
  halt,
  { ...pause, symbol: KO, at: at(640) },
  { kind: 'crash', symbol: KO, at: at(650), depth: 0.2, minutes: 10, recovers: true },
  { kind: 'gap', symbol: KO, on: DATE, percent: 5 },
  { kind: 'thin', symbol: KO, times: 5 },
  { kind: 'missing', symbol: KO, share: 0.5 },
  { kind: 'late', symbol: KO, share: 0.1 },
  { kind: 'mistakes', symbol: KO, share: 0.1 },
]
for (const event of KINDS)
  test(`a ${event.kind} of a renamed symbol is the same under its first and its second name`, async () => {
    const KOX = 'KOX' as Ticker
    const issues = new Map([[KOX, { origin: KO, changes: [] }]])
    const read = async (symbol: Ticker, affected: Ticker | undefined) => {
      const marketEvents = affected === undefined ? [] : [{ ...event, symbol: affected } as MarketEvent]
      const { history, pricesAt } = syntheticMarket({ seed: 'events', hours: 'nyse', marketEvents, issues })
      const query = all(symbol, at(570), at(680))
      const quotes = await history.quotes({ ...query, limit: 2000 })
      // Texts: the comparison of long lists that differ takes minutes.
      return [
        (await history.trades({ ...query, limit: 2000 }))
          .map(({ at, id, price }) => `${at} ${id} ${price}`)
          .join(),
        quotes.map(({ at, bid, ask }) => `${at} ${bid} ${ask}`).join(),
        (await history.events({ ...query, limit: 200 })).map(({ at, kind }) => `${at} ${kind}`).join(),
        [610, 643, 653].map((minute) => pricesAt(at(minute)).quote(symbol)?.bid).join(),
      ].map((text) => createHash('sha256').update(text).digest('hex'))
    }
    const expected = await read(KO, KO)
    assert.notDeepEqual(expected, await read(KO, undefined))
    for (const named of [KO, KOX]) assert.deepEqual(await read(KOX, named), expected)
  })

test('market events do not depend on earlier queries', async () => {
  const marketEvents = [halt, late, mistakes, { kind: 'missing', share: 0.1 } as const]
  const [one, other] = [worldOf(marketEvents).history, worldOf(marketEvents).history]
  await one.trades(all(KO, at(590), at(640)))
  for (const kind of ['trades', 'quotes', 'events'] as const)
    assert.deepEqual(await one[kind](all(KO, at(595), at(630))), await other[kind](all(KO, at(595), at(630))))
})
