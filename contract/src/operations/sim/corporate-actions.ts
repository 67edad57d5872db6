import { operation } from '../../operation.ts'
import {
  array,
  bool,
  date,
  decimal,
  decimalText,
  isPositive,
  oneOf,
  optional,
  record,
  sentDate,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { keyErrors, keyHeader } from '../broker/idempotency.ts'
import { ofWorld, operatorOnly, worldParam } from './world-param.ts'

const types = ['forward_split', 'reverse_split', 'cash_dividend', 'name_change', 'delisting'] as const

/** Required fields by type, besides symbol and ex_date. */
const requiredFields: Readonly<Record<(typeof types)[number], readonly string[]>> = {
  forward_split: ['new_rate', 'old_rate'],
  reverse_split: ['new_rate', 'old_rate'],
  cash_dividend: ['rate'],
  name_change: ['new_symbol'],
  delisting: [],
}

const positive = (name: string) => optional(decimal({ decimals: 6 }).where(isPositive, `${name} must be > 0`))

export const NewCorporateAction = record({
  type: oneOf(...types).about(
    'forward_split, reverse_split: `old_rate` shares become `new_rate` shares. cash_dividend: `rate` dollars per share. ' +
      'name_change: the symbol becomes `new_symbol`. delisting: shares are removed, for `price` or for nothing.',
  ),
  symbol: text({ min: 1, max: 20, example: 'AAPL' }),
  ex_date: sentDate().about('Takes effect at the start of this day in New York. Must be a trading day.'),
  new_rate: positive('new_rate').about('Shares after a split, for each old_rate shares.'),
  old_rate: positive('old_rate').about('Shares before a split.'),
  rate: positive('rate').about('Cash dividend in dollars per share.'),
  special: optional(bool()).about('Special cash dividend. Default: false.'),
  record_date: optional(sentDate()).about('Default: ex_date.'),
  payable_date: optional(sentDate()).about('Default: record_date.'),
  new_symbol: optional(text({ min: 1, max: 20 })),
  price: optional(decimal({ decimals: 6 })).about('Dollars per share. Default: nothing is paid.'),
})
  .refine((action) => {
    const fields: Readonly<Record<string, unknown>> = action
    const missing = requiredFields[action.type]?.find((field) => fields[field] === undefined)
    return missing === undefined
      ? undefined
      : { field: missing, message: `${missing}: required for type ${action.type}` }
  })
  .named('NewCorporateAction')

const CorporateAction = record({
  id: uuid(),
  type: oneOf(...types),
  symbol: text(),
  status: oneOf('scheduled', 'applied'),
  ex_date: date(),
  effective_at: timestamp().about('Time at which the action takes effect.'),
  created_at: timestamp(),
  applied_at: optional(timestamp()),
  new_rate: optional(decimalText()),
  old_rate: optional(decimalText()),
  rate: optional(decimalText()),
  special: optional(bool()),
  record_date: optional(date()),
  payable_date: optional(date()),
  new_symbol: optional(text()),
  price: optional(decimalText()),
}).named('CorporateAction')

const path = '/sim/v1/worlds/{world}/corporate-actions'

export const corporateActions = {
  listCorporateActions: operation(`GET ${path}`, ofWorld, {
    summary: 'List past and scheduled corporate actions of a world, by ex-date.',
    output: array(CorporateAction),
  }),
  createCorporateAction: operation(`POST ${path}`, ofWorld, {
    summary:
      'Schedule a split, dividend, symbol change or delisting. It changes prices, positions, orders and the ledger.',
    headers: keyHeader,
    body: NewCorporateAction,
    output: CorporateAction,
    status: 201,
    errors: [
      'invalidParameter',
      ...keyErrors,
      'worldNotFound',
      'marketFollowed',
      'assetNotFound',
      'actionInvalid',
      'actionOnTokens',
      'tooManyActions',
    ],
  }),
  deleteCorporateAction: operation(`DELETE ${path}/{action_id}`, operatorOnly, {
    summary: 'Cancel a scheduled corporate action.',
    params: record({ ...worldParam, action_id: uuid() }),
    errors: ['invalidParameter', 'worldNotFound', 'marketFollowed', 'actionNotFound', 'actionAlreadyApplied'],
  }),
}
