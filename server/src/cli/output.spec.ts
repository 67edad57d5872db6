import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Column, dollars, list, recordLines, utc, utcMs } from './output.ts'

type Row = { readonly name: string; readonly qty: string; readonly at?: string }
const table: readonly Column<Row>[] = [
  ['NAME', ({ name }) => name],
  ['QTY', ({ qty }) => qty, 'right'],
  ['CREATED (UTC)', ({ at }) => utc(at)],
]
const printed = (json: boolean, rows: readonly Row[]): string => {
  let text = ''
  list({ json, say: (line) => void (text += line) }, rows, table, 'no rows')
  return text
}

test('a list has a header, aligned columns and readable times', () => {
  const rows = [
    { name: 'a', qty: '1', at: '2026-11-02T14:30:00.123456789Z' },
    { name: 'long', qty: '100' },
  ]
  assert.equal(
    printed(false, rows),
    ['NAME  QTY  CREATED (UTC)', 'a       1  2026-11-02 14:30:00', 'long  100  -'].join('\n'),
  )
  assert.equal(printed(true, rows), JSON.stringify(rows))
  assert.equal(printed(false, []), 'no rows')
  assert.equal(printed(true, []), '[]')
})

for (const [text, shown] of [
  ['2026-11-02T14:30:00Z', '2026-11-02 14:30:00.000'],
  ['2026-11-02T14:30:00.1Z', '2026-11-02 14:30:00.100'],
  ['2026-11-02T14:30:00.123987654Z', '2026-11-02 14:30:00.123'],
] as const)
  test(`${text} is shown as ${shown}`, () => assert.equal(utcMs(text), shown))

for (const [amount, shown] of [
  ['100000', '100,000.00'],
  ['-1234567.899', '-1,234,567.89'],
  ['0.5', '0.50'],
  ['999', '999.00'],
  [null, undefined],
] as const)
  test(`${amount} is shown as ${shown}`, () => assert.equal(dollars(amount), shown))

test('a record shows its lists of records as tables', () => {
  const record = {
    id: '1',
    at: '2026-11-02T14:30:00.5Z',
    none: [],
    keys: [
      { id: 'PK1', used: '2026-11-02T14:30:00Z' },
      { id: 'PK22', ends: null },
    ],
    symbols: ['A', 'B'],
  }
  assert.deepEqual(recordLines(record), [
    'id    1',
    'at    2026-11-02 14:30:00 UTC',
    'none  none',
    'keys',
    '  id    used                     ends',
    '  PK1   2026-11-02 14:30:00 UTC  -',
    '  PK22  -                        -',
    'symbols',
    '  A',
    '  B',
  ])
})
