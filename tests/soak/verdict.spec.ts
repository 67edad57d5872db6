import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Measured, verdictOf } from './verdict.ts'

const MIB = 1024 * 1024
const MINUTE_MS = 60_000
const minutes = Array.from({ length: 61 }, (_, minute) => minute)
const at = (minute: number) => minute * MINUTE_MS

const thread = { thread: 'main', codeBytes: 5 * MIB, outsideBytes: 10 * MIB, delayMaxMs: 1, delayP99Ms: 1 }
const sample = { residentMiB: 200, mappedMiB: 50, openFiles: 40, viewsLag: 0 }

/** An hour on which there is nothing to say, but for what a row changes. */
const hour = (change: Partial<Measured> = {}): Measured => ({
  samples: minutes.map((minute) => ({ ...sample, at: at(minute) })),
  threads: minutes.map((minute) => ({ ...thread, at: at(minute), heapBytes: 20 * MIB })),
  fills: {
    lateMs: minutes.map((minute) => ({ at: at(minute), value: 5 })),
    doubled: () => 0,
    canceled: () => 7,
  },
  asked: { requests: 100, unexpected: [], filled: 61, resting: [], canceled: 7 },
  isSound: true,
  ...change,
})
const whole = hour()

const rows: readonly (readonly [string, Partial<Measured>, string | undefined])[] = [
  ['nothing moves', {}, undefined],
  [
    'a thread keeps two MiB an hour',
    { threads: whole.threads.map((told, minute) => ({ ...told, heapBytes: (20 + minute / 30) * MIB })) },
    'main: objects',
  ],
  [
    'code is compiled without end',
    { threads: whole.threads.map((told, minute) => ({ ...told, codeBytes: (minute / 10) * MIB })) },
    'main: compiled code',
  ],
  [
    'buffers pile up',
    { threads: whole.threads.map((told, minute) => ({ ...told, outsideBytes: minute * MIB })) },
    'main: outside',
  ],
  [
    'the resident set grows without the heaps',
    { samples: whole.samples.map((one, minute) => ({ ...one, residentMiB: 200 + minute })) },
    'resident set',
  ],
  [
    'files are not closed',
    { samples: whole.samples.map((one, minute) => ({ ...one, openFiles: 40 + minute })) },
    'open files',
  ],
  ['views fall behind', { samples: [...whole.samples, { ...sample, at: at(61), viewsLag: 500 }] }, 'views'],
  [
    'timers come later and later',
    { fills: { ...whole.fills, lateMs: minutes.map((minute) => ({ at: at(minute), value: minute })) } },
    'lateness',
  ],
  ['a timer is lost', { asked: { ...whole.asked, filled: 62 } }, 'timers lost'],
  ['a timer comes twice', { fills: { ...whole.fills, doubled: () => 1 } }, 'timers doubled'],
  ['a cancel is not told', { fills: { ...whole.fills, canceled: () => 6 } }, 'cancels not told'],
  ['an answer is another', { asked: { ...whole.asked, unexpected: ['500'] } }, 'unexpected answers'],
  ['the books do not add up', { isSound: false }, 'audit'],
]

for (const [given, change, line] of rows)
  test(`${given}: ${line === undefined ? 'flat' : `not flat, and "${line}" says so`}`, () => {
    const { isFlat, lines } = verdictOf(hour(change))
    assert.equal(isFlat, line === undefined)
    const marked = lines.filter((one) => one.startsWith('!'))
    assert.equal(marked.length, line === undefined ? 0 : 1, marked.join('\n'))
    if (line !== undefined) assert(marked[0]!.startsWith(`! ${line}`), marked[0])
  })
