import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CandlesRecord } from '@quipu/contract'
import { type Bar, type BarColumns, columnsOfBars, type Instant } from '@quipu/core'
import { barListJson, barMapJson } from './bar-json.ts'
import { NUMBER_BYTES, putNumber } from './json-bytes.ts'
import { barToWire } from './market-data-wire.ts'

/** Candles as the contract declares them. */
const candlesToWire = (bars: readonly Bar[]): CandlesRecord => ({
  time: bars.map(({ start }) => Number(start / 1_000_000n)),
  open: bars.map(({ open }) => open),
  high: bars.map(({ high }) => high),
  low: bars.map(({ low }) => low),
  close: bars.map(({ close }) => close),
  volume: bars.map(({ volume }) => volume),
})

const numberText = (value: number): string => {
  const view = new DataView(new ArrayBuffer(NUMBER_BYTES))
  return Buffer.from(view.buffer, 0, putNumber(view, 0, value)).toString('latin1')
}

const numbers = [
  0,
  -0,
  1,
  9,
  10,
  99,
  100,
  12_345,
  99_999,
  100_000,
  999_999,
  1_000_000,
  12_000_345,
  999_999_999,
  1_000_000_000,
  1_002_003_004,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  1_762_000_000_000,
  1e14,
  1e15,
  1e15 + 1,
  2 ** 53,
  1e20,
  1e21,
  1.5e300,
  0.1,
  0.01,
  0.05,
  0.1 + 0.2,
  1.005,
  187.34,
  187.3401,
  187.340_125,
  0.0001,
  0.000_001,
  0.000_000_1,
  0.000_000_123,
  1.000_000_001,
  45_211.301_123_456,
  123_456_789_012.34,
  9_999_999_999_999.99,
  99_999_999_999_999.98,
  1 / 3,
  Math.PI * 1e9,
  Number.MIN_VALUE,
  Number.MAX_VALUE,
  Number.EPSILON,
  -12.5,
  -1e-9,
  -(2 ** 31),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]
for (const value of numbers)
  test(`${value} is written as JSON.stringify does`, () =>
    assert.equal(numberText(value), JSON.stringify(value)))

/** A generator that gives the same numbers in each run. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

test('any number with few decimals, and any double, is written as JSON.stringify does', () => {
  const random = seededRandom(7)
  for (let run = 0; run < 50_000; run++) {
    const decimals = Math.floor(random() * 13)
    const decimal = Number((random() * 10 ** Math.floor(random() * 12)).toFixed(decimals))
    const any = (random() - 0.5) * 10 ** (random() * 40 - 20)
    assert.equal(numberText(decimal), JSON.stringify(decimal))
    assert.equal(numberText(any), JSON.stringify(any))
  }
})

function someBars(count: number, seed: number): readonly Bar[] {
  const random = seededRandom(seed)
  const price = (): number => Number((random() * 1000).toFixed(Math.floor(random() * 7)))
  let start = BigInt(Math.floor(random() * 4e9)) * 1_000_000_000n
  return Array.from({ length: count }, (): Bar => {
    start += random() < 0.1 ? BigInt(Math.floor(random() * 1e15)) : 60_000_000_000n
    return {
      start: start as Instant,
      open: price(),
      high: price(),
      low: price(),
      close: price(),
      volume: random() < 0.5 ? Math.floor(random() * 1e10) : random() * 12,
      trades: Math.floor(random() * 1e5),
      vwap: price(),
    }
  })
}

/** Splits bars into an empty piece and pieces of `size` bars. */
const inPieces = (bars: readonly Bar[], size: number): readonly BarColumns[] => [
  columnsOfBars([]),
  ...Array.from({ length: Math.ceil(bars.length / size) }, (_, piece) =>
    columnsOfBars(bars.slice(piece * size, (piece + 1) * size)),
  ),
]

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

test('the JSON of bars equals the JSON of their records, for any times and numbers', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const [first, second] = [someBars(seed * 3, seed), someBars(seed % 4, seed + 100)]
    const parts = [
      { symbol: 'AAPL', pieces: inPieces(first, seed) },
      { symbol: 'BRK.B', pieces: inPieces(second, 1) },
    ]
    const records = { AAPL: first.map(barToWire), 'BRK.B': second.map(barToWire) }
    assert.equal(
      text(barMapJson('{"bars":', 'bars', parts, ',"next_page_token":null}')),
      JSON.stringify({ bars: records, next_page_token: null }),
    )
    assert.equal(
      text(barListJson('{"symbol":"AAPL","bars":', parts[0]!, '}')),
      JSON.stringify({ symbol: 'AAPL', bars: records.AAPL }),
    )
  }
})

test('the JSON of candles equals the JSON of their records', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const bars = someBars(seed % 7, seed)
    const parts = [{ symbol: 'BTC/USD', pieces: inPieces(bars, 2) }]
    assert.equal(
      text(barMapJson('', 'candles', parts, '')),
      JSON.stringify({ 'BTC/USD': candlesToWire(bars) }),
    )
  }
})

test('writing a page does not change the page before it', () => {
  const part = (seed: number) => {
    const bars = someBars(5, seed)
    return { symbol: 'AAPL', pieces: inPieces(bars, 5) }
  }
  const page = barListJson('', part(1), '')
  const before = text(page)
  barListJson('', part(2), '')
  assert.equal(text(page), before)
})
