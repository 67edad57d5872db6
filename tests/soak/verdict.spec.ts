import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../support/random.ts'
import {
  groupMinimums,
  growthPerHour,
  laterHalf,
  type Measured,
  median,
  type Series,
  verdictOf,
} from './verdict.ts'

const MIB = 1024 * 1024
const MINUTE_MS = 60_000
const minutes = Array.from({ length: 61 }, (_, minute) => minute)
const at = (minute: number) => minute * MINUTE_MS

const thread = { thread: 'main', codeBytes: 5 * MIB, outsideBytes: 10 * MIB, delayMaxMs: 1, delayP99Ms: 1 }
const sample = { residentMiB: 200, mappedMiB: 50, openFiles: 40, queryTablesLag: 0 }

/** The measurements of an hour without a problem, with the change of a row. */
const hour = (change: Partial<Measured> = {}): Measured => ({
  samples: minutes.map((minute) => ({ ...sample, at: at(minute) })),
  threads: minutes.map((minute) => ({ ...thread, at: at(minute), heapBytes: 20 * MIB })),
  fills: {
    lateMs: minutes.map((minute) => ({ at: at(minute), value: 5 })),
    doubled: () => 0,
    canceled: () => 7,
  },
  counts: { requests: 100, unexpected: [], filled: 61, resting: [], canceled: 7 },
  isSound: true,
  ...change,
})
const goodHour = hour()

const rows: readonly (readonly [string, Partial<Measured>, string | undefined])[] = [
  ['nothing grows', {}, undefined],
  [
    'a thread leaks two MiB an hour',
    {
      threads: goodHour.threads.map((report, minute) => ({ ...report, heapBytes: (20 + minute / 30) * MIB })),
    },
    'main: objects',
  ],
  [
    'code is compiled without end',
    { threads: goodHour.threads.map((report, minute) => ({ ...report, codeBytes: (minute / 10) * MIB })) },
    'main: compiled code',
  ],
  [
    'buffers leak',
    { threads: goodHour.threads.map((report, minute) => ({ ...report, outsideBytes: minute * MIB })) },
    'main: outside',
  ],
  [
    'the resident set grows without the heaps',
    { samples: goodHour.samples.map((one, minute) => ({ ...one, residentMiB: 200 + minute })) },
    'resident set',
  ],
  [
    'files are not closed',
    { samples: goodHour.samples.map((one, minute) => ({ ...one, openFiles: 40 + minute })) },
    'open files',
  ],
  [
    'query tables fall behind',
    { samples: [...goodHour.samples, { ...sample, at: at(61), queryTablesLag: 500 }] },
    'query tables',
  ],
  [
    'timers fire later and later',
    { fills: { ...goodHour.fills, lateMs: minutes.map((minute) => ({ at: at(minute), value: minute })) } },
    'lateness',
  ],
  ['a timer is lost', { counts: { ...goodHour.counts, filled: 62 } }, 'timers lost'],
  ['a timer fires twice', { fills: { ...goodHour.fills, doubled: () => 1 } }, 'timers doubled'],
  ['a cancel is not reported', { fills: { ...goodHour.fills, canceled: () => 6 } }, 'cancels not reported'],
  [
    'a response has an unexpected status',
    { counts: { ...goodHour.counts, unexpected: ['500'] } },
    'unexpected responses',
  ],
  ['the audit finds a problem', { isSound: false }, 'audit'],
]

for (const [name, change, line] of rows)
  test(`${name}: ${line === undefined ? 'flat' : `not flat, marked by "${line}"`}`, () => {
    const { isFlat, lines } = verdictOf(hour(change))
    assert.equal(isFlat, line === undefined)
    const marked = lines.filter((one) => one.startsWith('!'))
    assert.equal(marked.length, line === undefined ? 0 : 1, marked.join('\n'))
    if (line !== undefined) assert(marked[0]!.startsWith(`! ${line}`), marked[0])
  })

const hourOf = (valueAt: (minute: number) => number): Series =>
  Array.from({ length: 61 }, (_, minute) => ({ at: minute * MINUTE_MS, value: valueAt(minute) }))

for (const [name, series, growth] of [
  ['a constant', hourOf(() => 20), 0],
  ['a warm-up of ten minutes, then a constant', hourOf((minute) => 20 + Math.min(10, minute)), 0],
  ['a sawtooth', hourOf((minute) => 20 + (minute % 5)), 0],
  ['one outlier at the very end', hourOf((minute) => (minute === 60 ? 500 : 20)), 0],
  ['a slow leak', hourOf((minute) => 20 + minute / 60), 1],
  ['a leak under a sawtooth', hourOf((minute) => 20 + minute / 10 + (minute % 5)), 6],
] as const)
  test(`${name} grows by ${growth} an hour in its later half`, () => {
    assert.equal(Math.round(growthPerHour(laterHalf(series)) * 10) / 10, growth)
  })

/** A sample every half minute, with buffers that exist only at some samples. */
const halfMinutes = (baseAt: (minute: number) => number): Series => {
  const random = new Random('passing')
  return Array.from({ length: 121 }, (_, index) => ({
    at: (index * MINUTE_MS) / 2,
    value: baseAt(index / 2) + random.pick([0, 0, 1, 2, 7]),
  }))
}

for (const [name, series, growth] of [
  ['a constant with temporary buffers', halfMinutes(() => 12), 0],
  ['a leak with temporary buffers', halfMinutes((minute) => 12 + minute / 10), 6],
] as const)
  test(`by its minimums, ${name} grows by about ${growth} an hour`, () => {
    const found = growthPerHour(laterHalf(groupMinimums(series)))
    assert(Math.abs(found - growth) < 0.5, String(found))
  })

test('the median does not depend on the order', () => assert.equal(median([9, 1, 5]), 5))
