import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatInstant } from '@quipu/core'
import { ImportStopped, ImportUsage } from './failures.ts'
import type { ImportOptions } from './options.ts'
import { importFiles } from './run.ts'
import { emptyStore, exported, file, imported, sample } from './testing/import.ts'

const head = 'timestamp,open,high,low,close,volume'
const good = '2024-01-02T14:30:00Z,2,3,1,2,10'
const next = '2024-01-02T14:31:00Z,2,3,1,2,10'

/** An invalid row and its error message. */
for (const [row, message] of [
  ['2024-01-02T14:31:00Z,x,3,1,2,10', 'open: expected a number, received "x"'],
  ['2024-01-02T14:31:00Z,,3,1,2,10', 'open: expected a number, received none'],
  ['2024-01-02T14:31:00Z,"2,5",3,1,2,10', 'open: expected a number, received "2,5"'],
  ['2024-01-02T14:31:00Z,2,1,3,2,10', 'expected the high (1) not to be below the low (3)'],
  ['2024-01-02T14:31:00Z,2,3,1,2,-10', 'volume: expected a number of at least 0, received -10'],
  ['2024-01-02T14:31:00Z,0,3,0,2,10', 'expected prices above 0'],
  ['soon,2,3,1,2,10', 'time: expected a date, an ISO time or an epoch, received "soon"'],
  ['2024-01-02T14:31:00Z,2,3', 'expected 6 cells, received 3'],
] as const) {
  const path = (): string =>
    file('AAPL_1Min.csv', [head, good, '', row, next.replace('31', '32')].join('\r\n'))

  test(`${row} stops the import: ${message}`, async () => {
    const store = emptyStore()
    const before = path()
    await assert.rejects(importFiles(store, [before]), (error: Error) => {
      assert.ok(error instanceof ImportStopped)
      assert.ok(error.message.startsWith(`${before}:4: ${message}; nothing was stored`), error.message)
      return true
    })
    assert.deepEqual(store.list(), [])
    // The lock is free again.
    await importFiles(store, [path()], { bad: 'skip' })
    store.close()
  })

  test(`${row} is skipped with --bad skip`, async () => {
    const store = emptyStore()
    const [report] = (await importFiles(store, [path()], { bad: 'skip' })).files
    assert.deepEqual(
      report!.faults.map(({ line, reason }) => [line, reason]),
      [[4, message]],
    )
    assert.deepEqual([report!.rows, report!.skipped, store.list()[0]!.rows], [2, 1, 2])
    store.close()
  })
}

/** Files that need an option, and the expected error message. */
for (const [name, content, options, message] of [
  [
    'AAPL.csv',
    'timestamp,open,high,low,close\n2024-01-02 09:30:00,2,3,1,2\n',
    {},
    /AAPL.csv:2: .* --timezone America/,
  ],
  ['AAPL.csv', `${head}\n${good}\n`, {}, /the duration of a bar is unknown; add --frame/],
  ['data.csv', `${head}\n${good}\n${next}\n`, {}, /add --symbol/],
  ['AAPL.csv', 'a,b,c\n1,2,3\n', {}, /columns "a", "b", "c" match none of .* --columns/],
  [
    'AAPL.csv',
    '1704205800,2,3,1,2\n1704205860,2,3,1,2\n',
    {},
    /columns "1", "2", "3", "4", "5" match none of/,
  ],
  ['AAPL.csv', `${head}\n${good}\n`, { columns: 'open=nothing' }, /the file has no column nothing/],
  ['AAPL.csv', `${head}\n${good}\n`, { columns: 'opening=open' }, /opening is not a field of bars/],
  ['AAPL.csv', `${head}\n${good}\n`, { columns: 'open' }, /expected FIELD=COLUMN, received "open"/],
  ['AAPL.csv', `${head}\n${good}\n`, { timezone: 'Mars/Base' }, /unknown time zone Mars\/Base/],
  ['AAPL.csv', `${head}\n${good}\n`, { frame: '7Day' }, /expected 1Min, .* received 7Day/],
  ['AAPL.csv', `${head}\n`, {}, /expected rows, but the file has none/],
  ['AAPL.csv', '', {}, /expected rows, but the file is empty/],
  [
    'AAPL.ndjson',
    '{"t":"2024-01-02T14:30:00Z","o":2,"h":3,"l":1,"c":2,"v":1}\n{"t"\n',
    {},
    /AAPL.ndjson:2: expected a row as JSON/,
  ],
] as const)
  test(`${name} with ${JSON.stringify(content.slice(0, 30))} and ${JSON.stringify(options)} is not imported`, async () => {
    await assert.rejects(imported(file(name, content), options as ImportOptions), (error: Error) => {
      assert.ok(error instanceof ImportUsage || error instanceof ImportStopped, error.stack)
      assert.match(error.message, message)
      return true
    })
  })

const bars = 'timestamp,open,high,low,close'
for (const [what, name, content, options, then] of [
  [
    'columns by number, without a header',
    'AAPL.csv',
    '1704205800,2,3,1,2\n1704205860,4,5,3,4\n',
    { columns: 'time=1,open=2,high=3,low=4,close=5' },
    'bars 1Min AAPL\nAAPL,2024-01-02T14:30:00Z,2,3,1,2,,,\nAAPL,2024-01-02T14:31:00Z,4,5,3,4,,,',
  ],
  [
    'newest first',
    'AAPL.csv',
    `${bars}\n1704205860,4,5,3,4\n1704205800,2,3,1,2\n`,
    {},
    'bars 1Min AAPL\nAAPL,2024-01-02T14:30:00Z,2,3,1,2,,,\nAAPL,2024-01-02T14:31:00Z,4,5,3,4,,,',
  ],
  [
    'the later of two bars of one minute',
    'AAPL_1Min.csv',
    `${bars}\n1704205800,2,3,1,2\n1704205800,4,5,3,4\n`,
    {},
    'bars 1Min AAPL\nAAPL,2024-01-02T14:30:00Z,4,5,3,4,,,',
  ],
  [
    'quotes around everything',
    'AAPL_1Min.csv',
    '"timestamp";"open";"high";"low";"close"\n"1704205800";"2";"3";"1";"2"\n',
    {},
    'bars 1Min AAPL\nAAPL,2024-01-02T14:30:00Z,2,3,1,2,,,',
  ],
  [
    'numbers with many digits',
    'BTC-USD_1Min.csv',
    `${bars},volume\n1704205800,45000.1,45000.123456789012345,4.5e4,45000.10,0.000000000123456789012\n`,
    {},
    'bars 1Min BTC/USD\nBTC/USD,2024-01-02T14:30:00Z,45000.1,45000.123456789012345,45000,45000.1,0.000000000123456789012,,',
  ],
  [
    'days of crypto pairs start in UTC',
    'ETH-USD.csv',
    'Date,Open,High,Low,Close\n2024-01-02,2,3,1,2\n2024-01-03,2,3,1,2\n',
    {},
    'bars 1Day ETH/USD\nETH/USD,2024-01-02T00:00:00Z,2,3,1,2,,,\nETH/USD,2024-01-03T00:00:00Z,2,3,1,2,,,',
  ],
  [
    'daily bars at midnight UTC are dates',
    'SPY_1Day.csv',
    `${bars}\n2024-07-02T00:00:00Z,2,3,1,2\n`,
    {},
    'bars 1Day SPY\nSPY,2024-07-02T04:00:00Z,2,3,1,2,,,',
  ],
  [
    'one document of JSON',
    'x.json',
    '{\n "symbol": "AAPL",\n "bars": [\n {"t":"2024-01-02T14:30:00Z","o":2,"h":3,"l":1,"c":2,"v":1}]\n}',
    { frame: '1Min' },
    'bars 1Min AAPL\nAAPL,2024-01-02T14:30:00Z,2,3,1,2,1,,',
  ],
  [
    'ids of 64 bits',
    'AAPL.csv',
    'timestamp,price,size,id\n1704205800,2,3,18446744073709551615\n',
    {},
    'trades AAPL\nAAPL,2024-01-02T14:30:00Z,2,3,18446744073709551615,,,,,',
  ],
] as const)
  test(what, async () => assert.equal(await imported(file(name, content), options as ImportOptions), then))

test('a row without a symbol is a bad row', async () => {
  const path = file('x.csv', `symbol,${bars}\nAAPL,1704205800,2,3,1,2\n,1704205860,2,3,1,2\n`)
  await assert.rejects(imported(path, { frame: '1Min' }), /x.csv:3: symbol: expected a symbol, received ""/)
  assert.match(await imported(path, { frame: '1Min', bad: 'skip' }), /^bars 1Min AAPL\n.*2,3,1,2,,,$/)
})

test('a trade with a fractional id is not stored', async () => {
  const path = file('AAPL.csv', 'timestamp,price,size,id\n1704205800,2,3,1.5\n')
  await assert.rejects(imported(path), /AAPL.csv:2: id: expected a whole number, received 1.5/)
})

test('several files are one import, and repeating it changes nothing', async () => {
  const store = emptyStore()
  const paths = ['AAPL.csv', 'aapl.us.txt', 'polygon-minute.csv'].map(sample)
  const first = await importFiles(store, paths)
  assert.deepEqual(
    first.series.map(({ symbol, frame, rows, added }) => [symbol, frame, rows, added]),
    [
      ['AAPL', '1Day', 2, 2],
      ['AAPL', '1Min', 2, 2],
      ['BRK.B', '1Min', 1, 1],
    ],
  )
  const query = { kind: 'bars', frame: '1Day', symbols: ['AAPL'] } as const
  const before = exported(store, query)
  assert.ok(before.includes('183.885'), 'the later file takes precedence')
  const again = await importFiles(store, paths)
  assert.deepEqual(
    again.series.map(({ added }) => added),
    [0, 0, 0],
  )
  assert.equal(exported(store, query), before)
  store.close()
})

test('a dry run reports everything and stores nothing', async () => {
  const store = emptyStore()
  const minutes = [0, 1, 2, 5, 6].map((minute) => `2024-01-02T14:3${minute}:00Z,2,3,1,2,10`)
  const day = '2024-01-04T14:30:00Z,2,3,1,2,10'
  const report = await importFiles(store, [file('AAPL.csv', [head, ...minutes, day].join('\n'))], {
    dryRun: true,
  })
  assert.deepEqual(store.list(), [])
  const [one] = report.files
  assert.deepEqual([...one!.mapping].slice(0, 2), [
    ['time', 'timestamp'],
    ['open', 'open'],
  ])
  assert.deepEqual(one!.sample[1]!.slice(0, 3), ['AAPL', '2024-01-02T14:30:00Z', '2'])
  const [series] = report.series
  assert.equal(series!.rows, 6)
  const { count, missing, longest } = series!.gaps!
  // Two minutes, and from 09:37 until the end of the next session.
  assert.deepEqual([count, missing], [2, 2 + 383 + 390])
  assert.equal(formatInstant(longest[0]!.from), '2024-01-02T14:37:00Z')
  assert.equal(formatInstant(longest[1]!.to), '2024-01-02T14:34:00Z')
  store.close()
})

test('progress is reported up to the end of the file', async () => {
  const store = emptyStore()
  const content = [
    head,
    ...Array.from({ length: 20_000 }, (_, minute) => `${1704205800 + minute * 60},2,3,1,2,10`),
  ].join('\n')
  const reports: number[] = []
  await importFiles(store, [file('AAPL.csv', content)], {}, ({ bytes, bytesTotal, rows }) => {
    assert.equal(bytesTotal, content.length)
    reports.push(rows, bytes)
  })
  assert.deepEqual(reports.slice(-2), [20_000, content.length])
  store.close()
})
