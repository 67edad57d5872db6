import { operation } from '../operation.ts'
import { array, integer, oneOf, optional, record, text, timestamp } from '../shape/index.ts'

const Series = record({
  symbol: text(),
  kind: oneOf('bars', 'trades', 'quotes'),
  frame: optional(text()).about('Of bars.'),
  rows: integer(),
  bytes: integer().about('On the disk.'),
  first: timestamp(),
  last: timestamp(),
}).named('ImportedSeries')

const shared = {
  family: 'sim',
  who: ['operator'],
  scope: 'never',
  state: 'works',
  output: array(Series),
  status: 200,
  errors: [],
} as const

export const importedData = {
  listData: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/data',
    summary: 'The data that was imported.',
  }),
  refreshData: operation({
    ...shared,
    method: 'POST',
    path: '/sim/v1/data/refresh',
    summary: 'Has the markets take up what was imported since; `quipu import` asks for it.',
  }),
}
