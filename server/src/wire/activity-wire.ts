import type { ActivityType, OtherActivityRecord, TradeActivityRecord } from '@quipu/contract'
import {
  type Activity,
  type ActivityKind,
  type ActivitySort,
  activityId,
  type Filled,
  format,
  formatInstant,
  keysOf,
  newYorkDate,
} from '@quipu/core'
import { statuses } from './order-words.ts'

const types = {
  fill: 'FILL',
  cashBookTransfer: 'JNLC',
  shareBookTransfer: 'JNLS',
  deposit: 'CSD',
  withdrawal: 'CSW',
  fee: 'FEE',
  coinFee: 'CFEE',
  dividend: 'DIV',
  split: 'SPLIT',
  nameChange: 'NC',
  reorganization: 'REORG',
  interest: 'INT',
} as const satisfies Record<ActivityKind, ActivityType>

const subTypes = {
  secFee: 'REG',
  tafFee: 'TAF',
  catFee: 'CAT',
  cashDividend: 'CDIV',
  stockDividend: 'SDIV',
  specialDividend: 'SPD',
  forwardSplit: 'FSPLIT',
  reverseSplit: 'RSPLIT',
  unitSplit: 'USPLIT',
  symbolChange: 'SNC',
  worthless: 'WRM',
  marginInterest: 'MGN',
} as const satisfies Record<ActivitySort, string>

const kinds = keysOf(types)

/** Types that include several kinds. */
const families: Partial<Record<ActivityType, readonly ActivityKind[]>> = {
  TRANS: ['deposit', 'withdrawal'],
  MISC: kinds.filter((kind) => !['fill', 'deposit', 'withdrawal', 'dividend'].includes(kind)),
  JNL: ['cashBookTransfer', 'shareBookTransfer'],
}

export const typeOfActivity = ({ kind }: Pick<Activity, 'kind'>): ActivityType => types[kind]
export const subTypeOfActivity = ({ sort }: Pick<Activity, 'sort'>): string | undefined =>
  sort && subTypes[sort]

/** The kinds of the requested types; none for a type that Quipu does not record. */
export const kindsOf = (requested: readonly ActivityType[]): readonly ActivityKind[] => [
  ...new Set(requested.flatMap((type) => families[type] ?? kinds.filter((kind) => types[kind] === type))),
]

export const kindsBeside = (excluded: ActivityKind): readonly ActivityKind[] =>
  kinds.filter((kind) => kind !== excluded)

export function activityToWire(activity: Activity): TradeActivityRecord | OtherActivityRecord {
  return activity.fill ? fillToWire(activity, activity.fill) : otherToWire(activity)
}

function fillToWire(activity: Activity, fill: Filled): TradeActivityRecord {
  const { symbol, quantity = 0n, price = 0n } = activity
  return {
    id: activityId(activity),
    activity_type: 'FILL',
    transaction_time: formatInstant(activity.at),
    type: fill.status === 'filled' ? 'fill' : 'partial_fill',
    symbol: symbol ?? '',
    side: quantity < 0n ? 'sell' : 'buy',
    price: format(price),
    qty: format(quantity < 0n ? -quantity : quantity),
    cum_qty: format(fill.cumulative),
    leaves_qty: format(fill.leaves),
    order_id: fill.orderId,
    order_status: statuses[fill.status],
  }
}

function otherToWire(activity: Activity): OtherActivityRecord {
  const { at, cash, symbol, shares, quantity = shares, price, perShare, groupId } = activity
  return {
    id: activityId(activity),
    activity_type: typeOfActivity(activity),
    activity_sub_type: subTypeOfActivity(activity),
    date: newYorkDate(at),
    created_at: formatInstant(at),
    net_amount: format(cash),
    description: descriptionOf(activity),
    status: 'executed',
    currency: 'USD',
    symbol,
    qty: quantity ? format(quantity) : undefined,
    price: price ? format(price) : undefined,
    per_share_amount: perShare ? format(perShare) : undefined,
    group_id: groupId,
  }
}

export function descriptionOf({ kind, cash, description = '' }: Activity): string {
  if (kind !== 'coinFee') return description
  return cash === 0n ? 'Coin Pair Transaction Fee (Non USD)' : 'Coin Pair Transaction Fee (USD)'
}
