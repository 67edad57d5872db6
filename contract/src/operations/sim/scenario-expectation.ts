import {
  array,
  decimal,
  integer,
  map,
  optional,
  plainDecimal,
  record,
  type Shape,
  text,
} from '../../shape/index.ts'
import { shape, wrong } from '../../shape/shape.ts'

/** An expected number: exact, or within bounds. */
export type ExpectedNumber = { readonly min: string | undefined; readonly max: string | undefined }

const Bounds = record({ min: optional(decimal()), max: optional(decimal()) }).named('Bounds')

type Wire =
  | string
  | number
  | { readonly min?: string | number | null | undefined; readonly max?: string | number | null | undefined }

/** A number, or a record with `min`, `max` or both. */
const expectedNumber = (): Shape<ExpectedNumber, Wire> =>
  shape({
    parse: (value, path, problems) => {
      const exact = plainDecimal(value)
      if (exact !== undefined) return { min: exact, max: exact }
      if (typeof value !== 'object' || value === null)
        return wrong(problems, path, 'a number, or a record with min and max', value)
      const { min, max } = Bounds.parse(value, path, problems) ?? {}
      return { min, max }
    },
    json: () => ({ anyOf: [decimal().json(), { component: 'Bounds', schema: Bounds.json() }] }),
  })

/** A status, or one of several separated by `|`. */
const status = () =>
  text({
    min: 1,
    max: 100,
    pattern: /^[a-z_]+( ?\| ?[a-z_]+)*$/,
    expected: 'a status such as filled',
    example: 'filled',
  })

export const ExpectedOrder = record({
  status: optional(status()).about('Status; several are separated by |.'),
  qty: optional(expectedNumber()),
  filled_qty: optional(expectedNumber()),
  filled_avg_price: optional(expectedNumber()),
  limit_price: optional(expectedNumber()),
  stop_price: optional(expectedNumber()),
}).named('ExpectedOrder')

type OrderWire = string | typeof ExpectedOrder.wire

const expectedOrder = (): Shape<ReturnType<typeof ExpectedOrder.parse>, OrderWire> =>
  shape({
    parse: (value, path, problems) =>
      typeof value === 'string'
        ? { status: status().parse(value, path, problems) }
        : ExpectedOrder.parse(value, path, problems),
    json: () => ({ anyOf: [status().json(), { component: 'ExpectedOrder', schema: ExpectedOrder.json() }] }),
  })

const ExpectedAccount = record({
  cash: optional(expectedNumber()).about('In dollars.'),
  equity: optional(expectedNumber()).about('In dollars.'),
  buying_power: optional(expectedNumber()).about('In dollars.'),
  positions: optional(map(expectedNumber())).about(
    'All positions: signed quantity by symbol. {} is no position.',
  ),
  orders: optional(map(expectedOrder())).about(
    'Orders by client order id. `entry/take_profit` and `entry/stop_loss` are the legs of the order `entry`.',
  ),
  order_count: optional(expectedNumber()).about('Number of orders, legs included.'),
  updates: optional(map(expectedNumber())).about(
    'Trade updates by event (fill, canceled, …) that the stream of a `listen` step received.',
  ),
  requests: optional(map(text({ min: 1, max: 40 }))).about(
    'Tokenization requests by client request id: pending, rejected or completed.',
  ),
}).named('ExpectedAccount')

/** What must hold at a moment. Only the given parts are checked. */
export const Expectation = record({
  accounts: optional(map(ExpectedAccount)).about('By name of the account.'),
  events: optional(map(expectedNumber())).about('Number of journal events by kind: orderFilled: 2.'),
  faults: optional(array(expectedNumber())).about(
    'How often each fault rule was applied, in the order of their creation.',
  ),
  journal_hash: optional(text({ pattern: /^[0-9a-f]{64}$/, expected: 'a SHA-256 of 64 hex digits' })).about(
    'Hash over all events of the journal.',
  ),
  seq: optional(integer({ min: 1 })).about('Number of the last event of the journal.'),
}).named('Expectation')
