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
  sentDate,
  withDefault,
} from '../../shape/index.ts'

const rate = () =>
  withDefault(
    decimal().where((value) => !value.startsWith('-'), 'a fee must not be negative'),
    '0',
  )

/** Fees of fills from one day until the next row starts. */
const NewFeeRow = record({
  from: sentDate().about('First day of the row, in New York.'),
  sec_per_million: rate().about('Dollars per million dollars sold.'),
  taf_per_share: rate().about('Dollars per share sold.'),
  taf_max: optional(decimal().where((value) => !value.startsWith('-'), 'a fee must not be negative')).about(
    'Maximum per fill, in dollars. Default: no limit.',
  ),
  cat_per_share: rate().about('Dollars per share bought or sold.'),
  crypto_basis_points: withDefault(integer({ min: 0, max: 10_000 }), 0).about(
    'Basis points of a crypto trade: of the coins of a buy, of the dollars of a sale.',
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
