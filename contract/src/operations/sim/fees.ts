import {
  array,
  date,
  decimal,
  decimalText,
  either,
  integer,
  oneOf,
  optional,
  record,
  withDefault,
} from '../../shape/index.ts'

const rate = () =>
  withDefault(
    decimal().where((value) => !value.startsWith('-'), 'a fee is not negative'),
    '0',
  )

/** What is taken of fills from a day on, until a later row takes over. */
const NewFeeRow = record({
  from: date().about('The first day it holds, in New York.'),
  sec_per_million: rate().about('Dollars of every million dollars sold.'),
  taf_per_share: rate().about('Dollars of every share sold.'),
  taf_max: optional(decimal().where((value) => !value.startsWith('-'), 'a fee is not negative')).about(
    'The most of one fill; absent: no limit.',
  ),
  cat_per_share: rate().about('Dollars of every share bought or sold.'),
  crypto_basis_points: withDefault(integer({ min: 0, max: 10_000 }), 0).about(
    'Of what a trade in coins brings: coins of a buy, dollars of a sale.',
  ),
}).named('NewFeeRow')

const FeeRow = record({
  from: date(),
  sec_per_million: decimalText(),
  taf_per_share: decimalText(),
  taf_max: optional(decimalText()),
  cat_per_share: decimalText(),
  crypto_basis_points: integer(),
}).named('FeeRow')

const ROWS_MAX = 1000

const named = () => oneOf('us', 'none')
export const newFees = () => either(named(), array(NewFeeRow, { max: ROWS_MAX }))
export const fees = () => either(named(), array(FeeRow))
