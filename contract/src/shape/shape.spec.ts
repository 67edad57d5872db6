import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AnyShape,
  anything,
  array,
  bool,
  clearable,
  date,
  decimal,
  decimalText,
  duration,
  either,
  integer,
  lenient,
  list,
  map,
  nullable,
  number,
  oneOf,
  optional,
  type Problem,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from './index.ts'

/** The parsed value, or its problems. */
function read(shape: AnyShape, value: unknown): unknown {
  const problems: Problem[] = []
  const parsed = shape.parse(value, 'f', problems)
  return problems.length === 0 ? { is: parsed } : problems.map(({ message }) => message).join(' | ')
}
const is = (value: unknown) => ({ is: value })

const expectedUuid = 'a UUID'
const id = '0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'

const rows: readonly [shape: string, AnyShape, value: unknown, then: unknown][] = [
  ['text', text(), 'abc', is('abc')],
  ['clearable', clearable(text()), 'abc', is('abc')],
  ['clearable', clearable(text()), null, is(null)],
  ['clearable', clearable(text()), undefined, is(undefined)],
  ['clearable', clearable(text()), 5, 'f: expected text of at most 4096 characters, received 5'],
  ['text', text(), 5, 'f: expected text of at most 4096 characters, received 5'],
  ['text', text({ min: 1, max: 2 }), '', 'f: expected text of 1 to 2 characters, received ""'],
  ['text', text({ min: 1, max: 2 }), 'abc', 'f: expected text of 1 to 2 characters, received "abc"'],
  ['text', text({ pattern: /^a+$/, expected: 'some a' }), 'b', 'f: expected some a, received "b"'],
  ['text', text(), undefined, 'f: expected text of at most 4096 characters, received nothing'],
  [
    'text',
    text({ max: 9 }),
    'x'.repeat(99),
    `f: expected text of at most 9 characters, received "${'x'.repeat(59)}…`,
  ],
  ['uuid', uuid(), id, is(id)],
  ['uuid', uuid(), id.toUpperCase(), is(id)],
  [
    'uuid',
    uuid(),
    id.replaceAll('-', ''),
    `f: expected ${expectedUuid}, received "${id.replaceAll('-', '')}"`,
  ],
  ['uuid', uuid(), null, `f: expected ${expectedUuid}, received null`],
  ['oneOf', oneOf('a', 'b'), 'a', is('a')],
  ['oneOf', oneOf('a', ''), 'c', 'f: expected one of a, "", received "c"'],
  ['oneOf', oneOf('a').message('invalid side'), ['a'], 'invalid side'],
  ['bool', bool(), true, is(true)],
  ['bool', bool(), 'True', is(true)],
  ['bool', bool(), 'false', is(false)],
  ['bool', bool(), 'yes', 'f: expected true or false, received "yes"'],
  ['bool', bool(), 1, 'f: expected true or false, received 1'],
  ['integer', integer(), '12', is(12)],
  ['integer', integer(), 12, is(12)],
  ['integer', integer({ min: 1, max: 5 }), 6, 'f: expected a whole number from 1 to 5, received 6'],
  ['integer', integer(), 1.5, 'f: expected a whole number, received 1.5'],
  ['integer', integer({ min: 0 }), '-1', 'f: expected a whole number of at least 0, received "-1"'],
  ['integer', integer({ max: 0 }), '0x1', 'f: expected a whole number of at most 0, received "0x1"'],
  ['number', number(), 1.5, is(1.5)],
  ['number', number(), '1.5', 'f: expected a number, received "1.5"'],
  ['date', date(), '2026-01-31', is('2026-01-31')],
  ['date', date(), '2026-02-30', 'f: expected a date such as 2026-01-31, received "2026-02-30"'],
  ['timestamp', timestamp(), '2026-01-31T00:00:00Z', is('2026-01-31T00:00:00Z')],
  ['timestamp', timestamp(), '2026-01-31', 'f: expected an RFC 3339 timestamp, received "2026-01-31"'],
  ['duration', duration(), '1h30m', is(5_400_000_000_000n)],
  ['duration', duration(), '1.5s', is(1_500_000_000n)],
  ['duration', duration(), '5', 'f: expected a duration such as 250ms, 90s or 1h30m, received "5"'],
  ['optional', optional(text()), undefined, is(undefined)],
  ['optional', optional(text()), null, is(undefined)],
  ['nullable', nullable(text()), null, is(null)],
  ['nullable', nullable(bool()), undefined, 'f: expected true or false, received nothing'],
  ['withDefault', withDefault(integer(), 50), undefined, is(50)],
  ['withDefault', withDefault(integer(), 50), null, is(50)],
  ['withDefault', withDefault(integer(), 50), 'x', 'f: expected a whole number, received "x"'],
  ['lenient', lenient(text()), 5, is(undefined)],
  ['lenient', lenient(text()), 'a', is('a')],
  ['list', list(text()), 'a, b,,c', is(['a', 'b', 'c'])],
  ['list', list(text()), ['a', 'b,c'], is(['a', 'b', 'c'])],
  ['list', list(oneOf('a')), 'a,b', 'f[1]: expected one of a, received "b"'],
  [
    'list',
    list(text(), { max: 1 }),
    'a,b',
    'f: expected a comma-separated list of at most 1, received "a,b"',
  ],
  ['list', list(text()), [5], 'f: expected a comma-separated list of at most 1000, received a list'],
  ['array', array(integer()), [1, 2], is([1, 2])],
  ['array', array(integer()), 'a', 'f: expected a list of at most 10000, received "a"'],
  ['map', map(integer()), { a: 1 }, is({ a: 1 })],
  ['map', map(integer()), { a: 'x' }, 'f.a: expected a whole number, received "x"'],
  ['map', map(integer()), [], 'f: expected a record, received a list'],
  ['either', either(integer(), oneOf('all')), 'all', is('all')],
  ['either', either(integer(), oneOf('all')), 'some', 'f: expected one of 2 shapes, received "some"'],
  ['anything', anything(), { deep: [1] }, is({ deep: [1] })],
  ['decimalText', decimalText(), '12.5', is('12.5')],
  ['decimalText', decimalText(), '12.50', 'f: expected a decimal as text, received "12.50"'],
  ['decimalText', decimalText(), 12.5, 'f: expected a decimal as text, received 12.5'],
  ['where', decimal().where((value) => value !== '0', 'no zero'), '0.00', 'no zero'],
  ['where', decimal().where((value) => value !== '0', 'no zero'), 'x', 'f: expected a decimal, received "x"'],
]

for (const [name, shape, value, then] of rows) {
  test(`${name} reads ${JSON.stringify(value)?.slice(0, 60)}`, () =>
    assert.deepEqual(read(shape, value), then))
}

const Thing = record({ side: oneOf('buy'), qty: optional(decimal()), size: withDefault(integer(), 1) })

test('a record takes its fields and ignores other keys', () => {
  assert.deepEqual(read(Thing, { side: 'buy', colour: 'red' }), is({ side: 'buy', size: 1 }))
})

test('a record reports every wrong field', () => {
  assert.equal(
    read(record({ a: bool(), b: Thing }), { b: { side: 'x', size: 'y' } }),
    'f.a: expected true or false, received nothing | f.b.side: expected one of buy, received "x" | ' +
      'f.b.size: expected a whole number, received "y"',
  )
})

test('a rule over a record is checked if its fields are valid', () => {
  const ruled = Thing.refine(({ qty }) => (qty ? undefined : { field: 'qty', message: 'qty is required' }))
  assert.equal(read(ruled, { side: 'buy' }), 'qty is required')
  assert.equal(read(ruled, { side: 'x' }), 'f.side: expected one of buy, received "x"')
  assert.deepEqual(read(ruled, { side: 'buy', qty: 2 }), is({ side: 'buy', qty: '2', size: 1 }))
})

test('a problem can have its own error', () => {
  const problems: Problem[] = []
  bool().refusedAs('idempotencyKeyMalformed').parse('x', 'f', problems)
  assert.deepEqual(problems, [
    { field: 'f', message: 'f: expected true or false, received "x"', error: 'idempotencyKeyMalformed' },
  ])
})

test('JSON Schema distinguishes required, optional and defaulted fields', () => {
  assert.deepEqual(Thing.json()['required'], ['side'])
  assert.deepEqual(nullable(text()).json()['type'], ['string', 'null'])
  assert.deepEqual(nullable(oneOf('a')).json(), {
    anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }],
  })
})
