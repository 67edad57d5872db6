import type { Random } from '../support/random.ts'

/** Values that careless code fails to handle, for any field. */
const values: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  1e-12,
  1e308,
  2 ** 63,
  Number.MIN_VALUE,
  '',
  ' ',
  '\u0000',
  '\n',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '+1',
  '1e5',
  '1e999999999',
  '0x10',
  '1,5',
  '٣',
  '1'.repeat(400),
  `0.${'0'.repeat(300)}1`,
  '999999999999999',
  '0.000000001',
  '-1',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  "' OR 1=1 --",
  '%00',
  '%zz',
  '💥',
  '\ud800',
  'ﬀ',
  'a'.repeat(129),
  'x'.repeat(20_000),
  '2026-02-30',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '-271821-04-20T00:00:00Z',
  '2026-01-05T15:00:00+99:99',
  '1970-01-01',
  253_402_300_800,
  '00000000-0000-0000-0000-000000000000',
  '1000000000000000000d',
  '1d',
  '99999999h',
  [],
  [[]],
  ['AAPL', 'AAPL'],
  Array(2_000).fill('AAPL'),
  {},
  { length: -1 },
  { toString: 1, valueOf: 1 },
]

export const hostileValue = (random: Random): unknown =>
  random.chance(0.85) ? random.pick(values) : randomText(random)

export function randomText(random: Random): string {
  const alphabet = random.pick([
    '0123456789',
    'AaZz09-_.',
    '\u0000\u0001\u007f\u0080ÿ',
    '💥€ß\ud800\udc00{}[]",:\\',
  ])
  return Array.from({ length: random.integer(0, 60) }, () => random.pick([...alphabet])).join('')
}

export const hostileName = (random: Random): string =>
  random.pick([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    '',
    'id',
    'x'.repeat(300),
    '💥',
    'a.b',
    'a[0]',
  ])

/** Bodies that no operation accepts. */
const bodies: readonly string[] = [
  '',
  'null',
  '[]',
  '"text"',
  '12',
  '{',
  '{"a":1}{"a":1}',
  '{"a":1,}',
  "{'a':1}",
  '\ufeff{}',
  '{"__proto__":{"symbol":"AAPL","qty":"1"},"constructor":{"prototype":{"x":1}}}',
  '['.repeat(200_000),
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":${index}`).join()}}`,
  `{"qty":${'9'.repeat(5_000)}}`,
  '{"qty":1e400,"limit_price":-1e400}',
  'symbol=AAPL&qty=1&qty=2&%zz=%',
  `{"symbol":"${'A'.repeat(900_000)}"}`,
]
const inUtf8 = bodies.map((text) => Buffer.from(text))
const inUtf16 = bodies.map((text) => Buffer.from(text, 'utf16le'))

/** The bytes of a hostile body; callers must not change them. */
export function hostileBody(random: Random): Buffer {
  if (random.chance(0.15)) return random.bytes(random.integer(0, 3_000))
  return random.pick(random.chance(0.1) ? inUtf16 : inUtf8)
}
