import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asLongWork, ClientDisconnected, pauseWork } from '@quipu/broker/clock/long-work.ts'
import type { Instant, Ticker } from '@quipu/core'
import { readWhatIf, type WhatIfMarket, type WhatIfQuery } from './what-if.ts'

const UNIT = 1_000_000_000n
type Row = readonly [at: number, bid: number, ask: number, size: number]

/** A market with these quotes. `looked` is called before each search. */
function marketOf(rows: readonly Row[], looked: () => void = () => undefined): WhatIfMarket {
  const at = (instant: Instant) => rows.findLast(([time]) => BigInt(time) <= instant)
  const quoteOf = ([time, bid, ask, size]: Row) => ({
    at: BigInt(time) as Instant,
    bid: BigInt(bid) * UNIT,
    ask: BigInt(ask) * UNIT,
    bidSize: BigInt(size) * UNIT,
    askSize: BigInt(size) * UNIT,
  })
  const market = {
    pricesAt: (instant: Instant) => ({
      quote: () => {
        const row = at(instant)
        return row && quoteOf(row)
      },
    }),
    schedule: {
      async nextQuote(_: Ticker, after: Instant, until: Instant) {
        const next = rows.find(([time]) => BigInt(time) > after && BigInt(time) < until)
        return next && (BigInt(next[0]) as Instant)
      },
      async nextTouch({ side, price, from, to }: Touch) {
        looked()
        await pauseWork()
        const valid = rows.filter(
          (row, index) => BigInt(row[0]) <= to && (rows[index + 1]?.[0] ?? 1e9) > from,
        )
        const reached = valid.find(([, bid, ask]) =>
          side === 'buy' ? BigInt(ask) * UNIT <= price : BigInt(bid) * UNIT >= price,
        )
        if (!reached) return undefined
        return (BigInt(reached[0]) > from ? BigInt(reached[0]) : from) as Instant
      },
    },
  }
  return { market } as unknown as WhatIfMarket
}
type Touch = Parameters<WhatIfMarket['market']['schedule']['nextTouch']>[0]

const rows: readonly Row[] = [
  [0, 99, 101, 5],
  [10, 97, 99, 2],
  [20, 95, 97, 4],
  [30, 98, 100, 9],
  [40, 94, 96, 1],
]

const query = (fields: Partial<WhatIfQuery> = {}): WhatIfQuery => ({
  kind: 'whatIf',
  symbol: 'AAPL' as Ticker,
  side: 'buy',
  quantity: 5n * UNIT,
  fillSize: 'unlimited',
  spans: [{ from: 0n as Instant, to: 50n as Instant }],
  maxMs: 60_000,
  head: {} as WhatIfQuery['head'],
  ...fields,
})

const prices = (...all: readonly number[]) => ({ prices: all.map((one) => BigInt(one) * UNIT) })

async function read(source: WhatIfMarket, wanted: WhatIfQuery) {
  const { fills, complete } = JSON.parse(new TextDecoder().decode(await readWhatIf(source, wanted)))
  const nanos = (at?: string) =>
    at === undefined ? '' : `@${Number(/\.?(\d*)Z/.exec(at)![1]!.padEnd(9, '0'))}`
  const lines = fills.map(
    (fill: Fill) =>
      `${fill.limit_price} ${fill.outcome} ${fill.filled_qty} ${fill.filled_avg_price ?? ''}${nanos(fill.first_at)}${nanos(fill.last_at)}`,
  )
  return { lines, complete }
}
type Fill = Readonly<
  Record<'limit_price' | 'outcome' | 'filled_qty', string> & {
    readonly filled_avg_price?: string
    readonly first_at?: string
    readonly last_at?: string
  }
>

for (const [title, fields, lines] of [
  [
    'a limit fills at the first quote that reaches it, at the price of the quote',
    prices(101, 98, 95, 99),
    ['101 filled 5 101@0@0', '99 filled 5 99@10@10', '98 filled 5 97@20@20', '95 not_filled 0 '],
  ],
  [
    'with displayed sizes, the next quotes fill the rest',
    { fillSize: 'displayed', ...prices(99, 97) },
    ['99 filled 5 97.8@10@20', '97 filled 5 96.8@20@40'],
  ],
  [
    'and the rest stays open at the end',
    { fillSize: 'displayed', quantity: 9n * UNIT, ...prices(97) },
    ['97 partially_filled 5 96.8@20@40'],
  ],
  [
    'a sell is the mirror image',
    { side: 'sell', ...prices(98, 99, 100) },
    ['98 filled 5 99@0@0', '99 filled 5 99@0@0', '100 not_filled 0 '],
  ],
  [
    'an amount buys what its first price allows',
    { notional: 485n * UNIT, quantity: 0n, ...prices(98) },
    ['98 filled 5 97@20@20'],
  ],
  [
    'only the times count at which the order could trade',
    {
      spans: [31, 60].map((from) => ({ from: BigInt(from) as Instant, to: BigInt(from + 5) as Instant })),
      ...prices(99),
    },
    ['99 filled 5 96@60@60'],
  ],
] as const)
  test(title, async () => {
    const { lines: found, complete } = await read(marketOf(rows), query(fields as Partial<WhatIfQuery>))
    assert.deepEqual([found, complete], [lines, true])
  })

test('without prices, the ladder goes from the first quote to a little beyond the best price that the market reached', async () => {
  const { lines } = await read(marketOf(rows), query({ limit: 90n * UNIT }))
  assert.match(lines[0], /^101 filled 5 101/)
  assert.ok(
    lines.some((line: string) => line.startsWith('96 filled 5 96@40')),
    lines.join('\n'),
  )
  assert.ok(lines.includes('95.5 not_filled 0 '), lines.join('\n'))
  assert.equal(lines.at(-1), '90 not_filled 0 ')
})

test('the work stops when the client leaves', async () => {
  let looks = 0
  const client = { isClosed: false, onClosed: () => () => undefined }
  const source = marketOf(rows, () => {
    looks += 1
    client.isClosed ||= looks === 3
  })
  const many = prices(...Array.from({ length: 20 }, (_, index) => 120 - index))
  await assert.rejects(asLongWork('a', client, readWhatIf, source, query(many)), ClientDisconnected)
  assert.equal(looks, 3)
})

test('the work stops when its time is over, and the rest is unknown', async () => {
  let looks = 0
  const source = marketOf(rows, () => (looks += 1))
  const { lines, complete } = await read(source, query({ maxMs: 0, ...prices(101, 99) }))
  assert.deepEqual([lines, complete, looks], [['101 unknown 0 ', '99 unknown 0 '], false, 1])
})
