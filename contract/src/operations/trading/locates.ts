import { operation } from '../../operation.ts'
import {
  array,
  bool,
  dateOrTimestamp,
  decimal,
  decimalText,
  integer,
  isPositive,
  list,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'

const symbol = text({ min: 1, max: 64 })
const invalidInput = 'locateInvalidInput'

const Locate = record({
  id: uuid(),
  symbol: text(),
  requested_qty: integer(),
  all_or_none: bool(),
  status: oneOf('active', 'expired', 'rejected'),
  created_at: timestamp(),
  located_qty: optional(integer()),
  located_price: optional(decimalText()),
  total_fee: optional(decimalText()),
  expires_at: optional(timestamp()),
  limit_price: optional(decimalText()),
  rejection_reason: optional(text()),
}).named('Locate')

const LocateQuotes = record({
  quotes: array(
    record({
      symbol: text(),
      available_qty: integer(),
      price: optional(decimalText()),
      quoted_at: timestamp(),
    }),
  ),
  errors: optional(
    array(
      record({
        symbol: text(),
        code: oneOf('symbol_not_found', 'easy_to_borrow', 'threshold_security', 'corporate_action'),
        message: text(),
      }),
    ),
  ),
}).named('LocateQuotes')

const shared = { family: 'trading', method: 'GET', who: ['account'], scope: 'read', status: 200 } as const

/** Every shortable share is easy to borrow, so locates are never needed and always refused. */
export const locates = {
  listLocateQuotes: operation({
    ...shared,
    state: 'empty',
    path: '/v1/locates/quotes',
    summary: 'List borrow fees of hard-to-borrow shares.',
    query: record({
      symbols: list(symbol, { max: 100 })
        .where((symbols) => symbols.length > 0, 'symbols is required')
        .refusedAs('locateInvalidSymbols'),
    }),
    output: LocateQuotes,
    errors: ['locateInvalidSymbols'],
  }),
  createLocate: operation({
    ...shared,
    state: 'refused',
    method: 'POST',
    scope: 'trading',
    path: '/v1/locates',
    summary: 'Request a locate of hard-to-borrow shares.',
    undecodable: 'locateInvalidBody',
    headers: record({ 'idempotency-key': optional(text({ max: 256 }).refusedAs(invalidInput)) }),
    body: record({
      symbol: symbol.refusedAs(invalidInput),
      qty: integer({ min: 100, max: 1_000_000_000 })
        .where((qty) => qty % 100 === 0, 'qty must be a multiple of 100')
        .refusedAs(invalidInput),
      limit_price: optional(
        decimal().where(isPositive, 'limit_price must be > 0').refusedAs('locateInvalidLimitPrice'),
      ),
      all_or_none: withDefault(bool().refusedAs(invalidInput), false),
    }),
    output: Locate,
    status: 201,
    errors: [
      'locateInvalidBody',
      'locateInvalidInput',
      'locateInvalidLimitPrice',
      'locateSymbolNotFound',
      'locateNotShortable',
      'locateEasyToBorrow',
    ],
  }),
  listLocates: operation({
    ...shared,
    state: 'empty',
    path: '/v1/locates',
    summary: 'List locates of the account.',
    query: record({
      page_token: optional(text({ max: 256 }).refusedAs(invalidInput)),
      limit: withDefault(integer({ min: 1, max: 10_000 }).refusedAs(invalidInput), 1_000),
      status: optional(oneOf('active', 'expired', 'rejected').refusedAs(invalidInput)),
      symbol: optional(symbol.refusedAs(invalidInput)),
      start: optional(dateOrTimestamp().refusedAs(invalidInput)),
      end: optional(dateOrTimestamp().refusedAs(invalidInput)),
    }),
    output: record({ locates: array(Locate), next_page_token: nullable(text()) }),
    errors: ['locateInvalidInput'],
  }),
  getLocate: operation({
    ...shared,
    state: 'refused',
    path: '/v1/locates/{id}',
    summary: 'Get a locate.',
    params: record({ id: uuid().refusedAs(invalidInput) }),
    output: Locate,
    errors: ['locateInvalidInput', 'locateNotFound'],
  }),
}
