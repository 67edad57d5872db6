import {
  type Activity,
  type Asset,
  activityId,
  type CivilDate,
  format,
  formatInstant,
  isPair,
  newYorkDate,
  settlementDate,
  type Ticker,
} from '@quipu/core'
import {
  activityToWire,
  descriptionOf,
  subTypeOfActivity,
  typeOfActivity,
} from '../../../wire/activity-wire.ts'
import { partId } from '../../../wire/event-id.ts'

/** The message of a new activity. */
export function activityEventOf(activity: Activity, assets: ReadonlyMap<Ticker, Asset>) {
  const { at, seq, n, cash, symbol, shares, quantity = shares, price } = activity
  const id = activityId(activity)
  return {
    event_id: partId(at, seq, n),
    at: formatInstant(at),
    id,
    activity_type: typeOfActivity(activity),
    activity_subtype: subTypeOfActivity(activity),
    status: 'executed',
    executed_at: formatInstant(at),
    settle_date: settleDateOf(activity),
    currency: 'USD',
    ref_id: id.slice(id.indexOf('::') + 2),
    qty:
      symbol && quantity !== undefined
        ? format(quantity < 0n && activity.fill ? -quantity : quantity)
        : undefined,
    price: price ? format(price) : undefined,
    net_amount: format(cash),
    details: detailsOf(activity, symbol && assets.get(symbol)),
  }
}

function settleDateOf({ at, fill, symbol }: Activity): CivilDate {
  const date = newYorkDate(at)
  return fill && symbol && !isPair(symbol) ? settlementDate(date) : date
}

function detailsOf(activity: Activity, asset: Asset | undefined) {
  const { symbol, perShare, groupId } = activity
  const of = { asset_id: asset?.id, symbol }
  const record = activityToWire(activity)
  if (!('order_id' in record))
    return {
      ...of,
      description: descriptionOf(activity),
      per_share_amount: perShare ? format(perShare) : undefined,
      group_id: groupId,
    }
  const { side, order_id, order_status, type, cum_qty, leaves_qty } = record
  return { ...of, side, order_id, order_status, execution_type: type, cum_qty, leaves_qty }
}
