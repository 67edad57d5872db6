import { operation } from '../../operation.ts'
import {
  array,
  date,
  decimalText,
  either,
  integer,
  list,
  moment,
  oneOf,
  only,
  optional,
  type Problem,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { OrderStatus } from './order-record.ts'

/** Every type that clients know, whether it ever occurs here or not. */
export const activityTypes = [
  'FILL',
  'TRANS',
  'MISC',
  'ACATC',
  'ACATS',
  'CFEE',
  'CGD',
  'CIL',
  'CSD',
  'CSW',
  'DIV',
  'DIVCGL',
  'DIVCGS',
  'DIVFEE',
  'DIVFT',
  'DIVNRA',
  'DIVROC',
  'DIVTW',
  'DIVTXEX',
  'DIVWH',
  'EXTRD',
  'FEE',
  'FOPT',
  'FXTRD',
  'INT',
  'INTNRA',
  'INTPNL',
  'INTTW',
  'JNL',
  'JNLC',
  'JNLS',
  'MA',
  'MEM',
  'NC',
  'OCT',
  'OPASN',
  'OPCA',
  'OPCSH',
  'OPEXC',
  'OPEXP',
  'OPTRD',
  'PTC',
  'PTR',
  'REORG',
  'SPIN',
  'SPLIT',
  'SWP',
  'VOF',
  'WH',
] as const
export type ActivityType = (typeof activityTypes)[number]

const ActivityTypes = oneOf(...activityTypes)

export const TradeActivity = record({
  id: text().about('Sorts as text as activities do in time; the token of the page behind it.'),
  activity_type: only('FILL'),
  transaction_time: timestamp(),
  type: oneOf('fill', 'partial_fill'),
  symbol: text(),
  side: oneOf('buy', 'sell'),
  price: decimalText(),
  qty: decimalText(),
  cum_qty: decimalText().about('Of the order, with this fill.'),
  leaves_qty: decimalText().about('Of the order, after this fill.'),
  order_id: uuid(),
  order_status: OrderStatus,
}).named('TradeActivity')

export const OtherActivity = record({
  id: text(),
  activity_type: ActivityTypes,
  activity_sub_type: optional(text()),
  date: date().about('In New York.'),
  created_at: timestamp(),
  net_amount: decimalText().about('Dollars that came; negative: that went.'),
  description: text(),
  status: oneOf('executed', 'correct', 'canceled'),
  currency: text(),
  symbol: optional(text()),
  qty: optional(decimalText()),
  price: optional(decimalText()),
  per_share_amount: optional(decimalText()),
  group_id: optional(text()).about('Of the transfer, journal or corporate action it belongs to.'),
}).named('NonTradeActivity')

const paging = {
  date: optional(moment()).about('Only of this day in New York; all of them, unless page_size is given.'),
  after: optional(moment()).about('Booked after this instant, which is not included.'),
  until: optional(moment()).about('Booked before this instant, which is not included.'),
  direction: withDefault(oneOf('asc', 'desc'), 'desc'),
  page_size: optional(integer({ min: 1, max: 100 })).about('100, unless a date is given.'),
  page_token: optional(text({ max: 64 })).about('The id of the last activity of the page before.'),
  order_id: optional(uuid()).about('Only fills of this order.'),
}

type Dated = { readonly date?: unknown; readonly after?: unknown; readonly until?: unknown }

const oneWay = ({ date, after, until }: Dated): Problem | undefined =>
  date !== undefined && (after !== undefined || until !== undefined)
    ? { field: 'date', message: 'date excludes after and until' }
    : undefined

const shared = {
  family: 'trading',
  method: 'GET',
  who: ['account'],
  scope: 'read',
  output: array(either(TradeActivity, OtherActivity), { max: Number.MAX_SAFE_INTEGER }),
  status: 200,
  errors: ['invalidParameter'],
  state: 'works',
} as const

export const activities = {
  listActivities: operation({
    ...shared,
    path: '/v2/account/activities',
    summary: 'What changed what the account holds: fills, cash, fees, dividends, splits.',
    query: record({
      activity_types: optional(list(ActivityTypes)),
      category: optional(oneOf('trade_activity', 'non_trade_activity')),
      ...paging,
    })
      .refine(oneWay)
      .refine(({ activity_types, category }) =>
        activity_types && category
          ? { field: 'category', message: 'only one of category or activity_types is accepted' }
          : undefined,
      ),
  }),
  listActivitiesByType: operation({
    ...shared,
    path: '/v2/account/activities/{activity_type}',
    summary: 'The same, of one type.',
    params: record({ activity_type: ActivityTypes }),
    query: record(paging).refine(oneWay),
  }),
}
