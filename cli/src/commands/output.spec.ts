import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Column, dollars, printList, recordLines, tableStream, utc, utcMs } from './output.ts'

type Row = { readonly name: string; readonly qty: string; readonly at?: string }
const table: readonly Column<Row>[] = [
  ['NAME', ({ name }) => name],
  ['QTY', ({ qty }) => qty, 'right'],
  ['CREATED (UTC)', ({ at }) => utc(at)],
]
const printed = (json: boolean, rows: readonly Row[], width = Number.POSITIVE_INFINITY): string => {
  let text = ''
  printList({ json, print: (line) => void (text += line), width }, rows, table, 'no rows')
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

const wide: readonly Column<Record<string, string>>[] = [
  ['ID', ({ id }) => id],
  ['TERMS', ({ terms }) => terms, 6],
  ['STATUS', ({ status }) => status],
  ['QTY', ({ qty }) => qty, 'right'],
]
const wideRows = [
  { id: '0123456789', terms: 'buy 10 AAPL', status: 'filled', qty: '10' },
  { id: '9876543210', terms: 'sell 1 KO', status: 'new', qty: '7' },
]
for (const [width, lines] of [
  [
    40,
    [
      'ID          TERMS        STATUS  QTY',
      '0123456789  buy 10 AAPL  filled   10',
      '9876543210  sell 1 KO    new       7',
    ],
  ],
  [
    34,
    [
      'ID          TERMS      STATUS  QTY',
      '0123456789  buy 10 A…  filled   10',
      '9876543210  sell 1 KO  new       7',
    ],
  ],
  [26, ['ID          TERMS   STATUS', '0123456789  buy 1…  filled', '9876543210  sell…   new']],
  [25, ['ID          TERMS', '0123456789  buy 10 AAPL', '9876543210  sell 1 KO']],
  [12, ['ID', '0123456789', '9876543210']],
  [5, ['ID', '0123456789', '9876543210']],
] as const)
  test(`a list fits in ${width} columns: texts are shortened, then columns dropped`, () => {
    let text = ''
    printList({ json: false, print: (line) => void (text += line), width }, wideRows, wide, '')
    assert.deepEqual(text.split('\n'), lines)
  })

test('rows that arrive one by one get a header, and columns that grow', () => {
  const lineOf = tableStream(wide, 80)
  assert.deepEqual(
    [...wideRows, { ...wideRows[0]!, terms: 'buy 10000 AAPL' }].map(lineOf).join('\n').split('\n'),
    [
      'ID          TERMS        STATUS  QTY',
      '0123456789  buy 10 AAPL  filled   10',
      '9876543210  sell 1 KO    new       7',
      '0123456789  buy 10000 AAPL  filled   10',
    ],
  )
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

test('a table inside a record that is wider than the terminal is shown record by record', () => {
  const record = {
    id: '1',
    keys: [
      { key: 'PK1', secret: 's'.repeat(40) },
      { key: 'PK2', secret: 't'.repeat(40) },
    ],
  }
  assert.deepEqual(recordLines(record, 46), [
    'id  1',
    'keys',
    '  key     PK1',
    `  secret  ${'s'.repeat(40)}`,
    '',
    '  key     PK2',
    `  secret  ${'t'.repeat(40)}`,
  ])
  assert.equal(recordLines(record, 47).length, 5)
})
