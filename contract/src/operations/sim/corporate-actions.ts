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
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { worldParam } from './world-param.ts'

const types = ['forward_split', 'reverse_split', 'cash_dividend', 'name_change', 'delisting'] as const

/** What a type needs beside symbol and ex-date. */
const needed: Readonly<Record<(typeof types)[number], readonly string[]>> = {
  forward_split: ['new_rate', 'old_rate'],
  reverse_split: ['new_rate', 'old_rate'],
  cash_dividend: ['rate'],
  name_change: ['new_symbol'],
  delisting: [],
}

const positive = (name: string) => optional(decimal({ places: 6 }).where(isPositive, `${name} must be > 0`))

const NewCorporateAction = record({
  type: oneOf(...types).about(
    'forward_split, reverse_split: `old_rate` shares become `new_rate`. cash_dividend: `rate` dollars a share. ' +
      'name_change: the shares are `new_symbol` from then on. delisting: they are gone, for `price` or for nothing.',
  ),
  symbol: text({ min: 1, max: 20, example: 'AAPL' }),
  ex_date: date().about(
    'All is as the action leaves it from the start of this day in New York on; a trading day.',
  ),
  new_rate: positive('new_rate'),
  old_rate: positive('old_rate'),
  rate: positive('rate'),
  special: optional(bool()),
  record_date: optional(date()).about('The ex-date when left out.'),
  payable_date: optional(date()).about('The record date when left out.'),
  new_symbol: optional(text({ min: 1, max: 20 })),
  price: optional(decimal({ places: 6 })).about('Dollars a share; nothing is paid when left out.'),
})
  .refine((given) => {
    const fields = given as Readonly<Record<string, unknown>>
    const missing = needed[given.type]?.find((field) => fields[field] === undefined)
    return missing === undefined
      ? undefined
      : { field: missing, message: `${missing}: expected, since the type is ${given.type}` }
  })
  .named('NewCorporateAction')

const CorporateAction = record({
  id: uuid(),
  type: oneOf(...types),
  symbol: text(),
  status: oneOf('scheduled', 'applied'),
  ex_date: date(),
  effective_at: timestamp().about('The instant at which it happens.'),
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

const shared = { family: 'sim', who: ['operator'], scope: 'never', state: 'works' } as const
const path = '/sim/v1/worlds/{world}/corporate-actions'

export const corporateActions = {
  listCorporateActions: operation({
    ...shared,
    method: 'GET',
    path,
    summary: 'What issuers did, and will do, to the shares of a world, by ex-date.',
    params: record(worldParam),
    output: array(CorporateAction),
    status: 200,
    errors: ['worldNotFound'],
  }),
  createCorporateAction: operation({
    ...shared,
    method: 'POST',
    path,
    summary:
      'Lets a split, a dividend, a symbol change or a delisting happen: to the tape, positions, orders and ledger.',
    params: record(worldParam),
    body: NewCorporateAction,
    output: CorporateAction,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'assetNotFound',
      'actionInvalid',
      'actionOnTokens',
      'tooManyActions',
    ],
  }),
  deleteCorporateAction: operation({
    ...shared,
    method: 'DELETE',
    path: `${path}/{action_id}`,
    summary: 'Takes back a corporate action that has not happened.',
    params: record({ ...worldParam, action_id: uuid() }),
    status: 204,
    errors: ['invalidParameter', 'worldNotFound', 'actionNotFound', 'actionAlreadyApplied'],
  }),
}
