import { operation } from '../../operation.ts'
import {
  array,
  bool,
  date,
  list,
  number,
  oneOf,
  optional,
  record,
  sentDate,
  text,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { listErrors, nextPageToken, reading } from './data-operation.ts'
import { limitOf, pageQuery, symbols } from './market-parameters.ts'

const types = [
  'reverse_split',
  'forward_split',
  'unit_split',
  'cash_dividend',
  'stock_dividend',
  'spin_off',
  'cash_merger',
  'stock_merger',
  'stock_and_cash_merger',
  'redemption',
  'name_change',
  'worthless_removal',
  'rights_distribution',
  'partial_call',
  'reorganization',
] as const

const cusip = text
const dates = { ex_date: date(), record_date: date(), payable_date: date() }
const named = { id: uuid(), symbol: text(), cusip: cusip() }
const processed = { process_date: date() }
const rates = { new_rate: number(), old_rate: number() }

const groups = record({
  forward_splits: optional(array(record({ ...named, ...rates, ...processed, ...dates }))),
  reverse_splits: optional(
    array(
      record({
        id: uuid(),
        symbol: text(),
        old_cusip: cusip(),
        new_cusip: cusip(),
        ...rates,
        ...processed,
        ...dates,
      }),
    ),
  ),
  cash_dividends: optional(
    array(record({ ...named, rate: number(), special: bool(), foreign: bool(), ...processed, ...dates })),
  ),
  name_changes: optional(
    array(
      record({
        id: uuid(),
        old_symbol: text(),
        old_cusip: cusip(),
        new_symbol: text(),
        new_cusip: cusip(),
        ...processed,
      }),
    ),
  ),
  redemptions: optional(array(record({ ...named, rate: number(), ...processed, payable_date: date() }))),
  worthless_removals: optional(array(record({ ...named, ...processed }))),
}).named('CorporateActions')

const shared = {
  ...reading,
  summary: 'List corporate actions by type, including future ones. Types without actions are absent.',
  query: record({
    symbols: optional(symbols()),
    cusips: optional(list(text({ min: 9, max: 9 }), { max: 1000 })),
    types: optional(list(oneOf(...types), { max: types.length })),
    region: withDefault(oneOf('us', 'non_us', 'all'), 'us'),
    start: optional(sentDate()).about('Filters by process date. Default: today.'),
    end: optional(sentDate()),
    ids: optional(list(text({ max: 64 }), { max: 1000 })).about(
      'Return only these ids and ignore all other filters.',
    ),
    data_quality: withDefault(oneOf('complete', 'all'), 'complete'),
    limit: limitOf(100, 1000),
    page_token: pageQuery.page_token,
    sort: pageQuery.sort,
  }),
  output: record({ corporate_actions: groups, next_page_token: nextPageToken }),
  errors: listErrors,
} as const

export const corporateActionData = {
  corporateActions: operation('GET /v1/corporate-actions', shared, {}),
  corporateActionsAlias: operation('GET /v1beta1/corporate-actions', shared, {
    summary: 'List corporate actions. Same as /v1/corporate-actions, for older clients.',
  }),
}
