import { operation } from '../../operation.ts'
import { array, integer, oneOf, optional, record, text, timestamp } from '../../shape/index.ts'
import { ofWorld, operatorOnly } from './world-param.ts'

const kind = () => oneOf('bars', 'trades', 'quotes')
const symbol = () => text({ min: 1, max: 40, example: 'AAPL' })

const series = {
  symbol: text(),
  kind: kind(),
  frame: optional(text()).about('For bars: 1Min or 1Day.'),
  rows: integer(),
}

const Series = record({
  ...series,
  bytes: integer().about('Size on disk.'),
  first: timestamp(),
  last: timestamp(),
  worlds: array(text()).about('Worlds that use this series.'),
}).named('ImportedSeries')

const UsedSeries = record({
  ...series,
  digest: text().about('Hash of the content of the series.'),
}).named('UsedSeries')

export const importedData = {
  listData: operation('GET /sim/v1/data', operatorOnly, {
    summary: 'List imported data and the worlds that use it.',
    output: array(Series),
  }),
  deleteData: operation('DELETE /sim/v1/data', operatorOnly, {
    summary: 'Delete imported data that no world uses. Returns the deleted series.',
    query: record({
      symbol: symbol(),
      kind: optional(kind()).about('Default: all kinds.'),
      frame: optional(text({ min: 1, max: 20, example: '1Min' })).about('For bars. Default: all frames.'),
    }),
    output: array(Series),
    errors: ['invalidParameter', 'dataNotFound', 'dataInUse', 'importRunning'],
  }),
  useData: operation('POST /sim/v1/worlds/{world}/data', ofWorld, {
    bodySize: 'large',
    needsSim: true,
    summary: 'Use imported data in the market of a world from now on. Recorded as an event.',
    body: record({
      symbols: array(symbol())
        .where((symbols) => symbols.length > 0, 'symbols: expected at least one symbol')
        .about('All imported series of these symbols.'),
    }).named('UseData'),
    output: array(UsedSeries),
    errors: [
      'invalidParameter',
      'worldNotFound',
      'marketFollowed',
      'marketFromUpstream',
      'dataNotFound',
      'dataUnreadable',
    ],
  }),
}
