import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ImportOptions } from './options.ts'
import { importFiles } from './run.ts'
import { emptyStore, file, imported, sample } from './testing/import.ts'

const minuteBars = `AAPL,2024-01-02T14:30:00Z,187.15,187.44,186.9,187.01,1024,310,187.153224
AAPL,2024-01-02T14:31:00Z,187.02,187.2,186.8,186.83,5120,402,187.001`
const plainBars = minuteBars.replace('310,187.153224', ',').replace('402,187.001', ',')

/** For each file: the detected layout and the imported rows. */
const rows: readonly (readonly [name: string, layout: string, options: ImportOptions, then: string])[] = [
  ['wire-bars.ndjson', 'wire bars', {}, `bars 1Min AAPL\n${minuteBars}`],
  [
    'wire-trades.ndjson',
    'wire trades',
    {},
    `trades AAPL
AAPL,2024-01-02T14:30:00.003951234Z,187.15,100,52983525029461,V,"[""@"",""T""]",C,,
trades BTC/USD
BTC/USD,2024-01-02T14:30:00.5Z,45211.301,0.000123456,3447222699101865076,,,,,B`,
  ],
  [
    'wire-quotes.ndjson',
    'wire quotes',
    {},
    'quotes AAPL\nAAPL,2024-01-02T14:30:00.000000001Z,187.15,300,187.1,200,Q,V,"[""R""]",C',
  ],
  [
    'alpaca-py-bars.csv',
    'alpaca-py bars',
    {},
    `bars 1Min AAPL\n${minuteBars}
bars 1Min MSFT\nMSFT,2024-01-02T14:30:00Z,373.86,374.1,373.5,373.98,2048,99,373.9001`,
  ],
  [
    'alpaca-py-trades.csv',
    'alpaca-py trades',
    {},
    `trades AAPL
AAPL,2024-01-02T14:30:00.003951234Z,187.15,100,52983525029461,V,"[""@"",""T""]",C,,
AAPL,2024-01-02T14:30:00.103Z,187.1501,3,52983525029462,D,"[""@""]",C,,`,
  ],
  [
    'alpaca-py-quotes.csv',
    'alpaca-py quotes',
    {},
    'quotes AAPL\nAAPL,2024-01-02T14:30:00.000000001Z,187.15,300,187.1,200,Q,V,"[""R""]",C',
  ],
  [
    'AAPL.csv',
    'Yahoo',
    {},
    `bars 1Day AAPL
AAPL,2024-01-02T05:00:00Z,187.149994,188.440002,183.889999,185.639999,82488700,,
AAPL,2024-01-03T05:00:00Z,184.220001,185.880005,183.429993,184.25,58414500,,`,
  ],
  [
    'MSFT_5m.csv',
    'Yahoo',
    {},
    `bars 5Min MSFT
MSFT,2024-01-02T14:30:00Z,187.14999389648438,187.44000244140625,186.8999938964844,187.00999450683594,1024,,
MSFT,2024-01-02T14:35:00Z,187.02000427246094,187.2,186.8,186.83,5120,,`,
  ],
  [
    'polygon-minute.csv',
    'Polygon aggregates',
    {},
    `bars 1Min AAPL\n${minuteBars.replace('187.153224', '').replace('187.001', '')}
bars 1Min BRK.B\nBRK.B,2024-01-02T14:30:00Z,361.2,361.2,361.2,361.2,7,2,`,
  ],
  [
    'polygon-trades.csv',
    'Polygon trades',
    {},
    'trades AAPL\nAAPL,2024-01-02T14:30:00.003951234Z,187.15,100,71697211430271,11,"[""12"",""37""]",C,,',
  ],
  [
    'polygon-quotes.csv',
    'Polygon quotes',
    {},
    'quotes AAPL\nAAPL,2024-01-02T14:30:00.000000001Z,187.15,3,187.1,2,12,11,"[""1""]",C',
  ],
  [
    'aapl.us.txt',
    'Stooq',
    {},
    `bars 1Day AAPL
AAPL,2024-01-02T05:00:00Z,187.15,188.44,183.885,185.64,82488700,,
AAPL,2024-01-03T05:00:00Z,184.22,185.88,183.43,184.25,58414500,,`,
  ],
  [
    'stooq-5.txt',
    'Stooq',
    { timezone: 'Europe/Warsaw' },
    'bars 5Min AAPL\nAAPL,2024-01-02T14:30:00Z,187.15,188.44,183.885,185.64,824,,',
  ],
  [
    'SPY.csv',
    'Stooq daily',
    {},
    `bars 1Day SPY
SPY,2024-01-02T05:00:00Z,187.15,188.44,183.885,185.64,82488700,,
SPY,2024-01-03T05:00:00Z,184.22,185.88,183.43,184.25,58414500,,`,
  ],
  [
    'other.csv',
    'guessed',
    { symbol: 'AAPL', columns: 'time=when,open=first,high=hi,low=lo,close=last,volume=qty' },
    `bars 1Min AAPL\n${plainBars}`,
  ],
  [
    'BTC-USD.tsv',
    'guessed',
    { timezone: 'UTC', frame: '1Min' },
    `bars 1Min BTC/USD
BTC/USD,2024-03-10T01:59:00Z,1,1,1,1,1,,
BTC/USD,2024-03-10T03:00:00Z,2,2,2,2,2,,`,
  ],
]

for (const [name, layout, options, then] of rows) {
  test(`${name} has the layout ${layout}`, async () => {
    const store = emptyStore()
    const report = await importFiles(store, [sample(name)], options)
    assert.equal(report.files[0]!.layout, layout)
    store.close()
    assert.equal(await imported(sample(name), options), then)
  })

  test(`${name} may be compressed and start with a byte order mark`, async () => {
    const bytes = Buffer.concat([Buffer.from('\uFEFF'), readFileSync(sample(name))])
    assert.equal(await imported(file(`${name}.gz`, gzipSync(bytes)), options), then)
    assert.equal(await imported(file(name, bytes), options), then)
  })
}
