import { operation } from '../../operation.ts'
import {
  array,
  date,
  decimalText,
  either,
  integer,
  list,
  literal,
  moment,
  oneOf,
  optional,
  type Problem,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { OrderStatusShape } from './order-record.ts'

/** All activity types of the protocol, including types that Quipu never records. */
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
  'REO',
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
  id: text().about('Ids sort by time. Also the page_token of the next page.'),
  activity_type: literal('FILL'),
  transaction_time: timestamp(),
  type: oneOf('fill', 'partial_fill'),
  symbol: text(),
  side: oneOf('buy', 'sell'),
  price: decimalText(),
  qty: decimalText(),
  cum_qty: decimalText().about('Filled quantity of the order, including this fill.'),
  leaves_qty: decimalText().about('Open quantity of the order after this fill.'),
  order_id: uuid(),
  order_status: OrderStatusShape,
}).named('TradeActivity')

export const OtherActivity = record({
  id: text(),
  activity_type: ActivityTypes,
  activity_sub_type: optional(text()),
  date: date().about('Date in New York.'),
  created_at: timestamp(),
  net_amount: decimalText().about('Dollars. Negative: paid out.'),
  description: text(),
  status: oneOf('executed', 'correct', 'canceled'),
  currency: text(),
  symbol: optional(text()),
  qty: optional(decimalText()),
  price: optional(decimalText()),
  per_share_amount: optional(decimalText()),
  group_id: optional(text()).about('Id of the transfer, journal or corporate action.'),
}).named('NonTradeActivity')

const paging = {
  date: optional(moment()).about(
    'Only this day in New York. Returns the whole day unless page_size is given.',
  ),
  after: optional(moment()).about('Booked after this time (exclusive).'),
  until: optional(moment()).about('Booked before this time (exclusive).'),
  direction: withDefault(oneOf('asc', 'desc'), 'desc'),
  page_size: optional(integer({ min: 1, max: 100 })).about('Default: 100, or no limit with date.'),
  page_token: optional(text({ max: 64 })).about('Id of the last activity of the previous page.'),
  order_id: optional(uuid()).about('Only fills of this order.'),
}

type Dated = { readonly date?: unknown; readonly after?: unknown; readonly until?: unknown }

const dateRule = ({ date, after, until }: Dated): Problem | undefined =>
  date !== undefined && (after !== undefined || until !== undefined)
    ? { field: 'date', message: 'date excludes after and until' }
    : undefined

const shared = {
  family: 'trading',
  who: ['account'],
  scope: 'read',
  output: array(either(TradeActivity, OtherActivity), { max: Number.MAX_SAFE_INTEGER }),
  errors: ['invalidParameter'],
} as const

export const activities = {
  listActivities: operation('GET /v2/account/activities', shared, {
    summary: 'List activities of the account: fills, cash, fees, dividends, splits.',
    query: record({
      activity_types: optional(list(ActivityTypes)),
      category: optional(oneOf('trade_activity', 'non_trade_activity')),
      ...paging,
    })
      .refine(dateRule)
      .refine(({ activity_types, category }) =>
        activity_types && category
          ? { field: 'category', message: 'only one of category or activity_types is accepted' }
          : undefined,
      ),
  }),
  listActivitiesByType: operation('GET /v2/account/activities/{activity_type}', shared, {
    summary: 'List activities of one type.',
    params: record({ activity_type: ActivityTypes }),
    query: record(paging).refine(dateRule),
  }),
}
