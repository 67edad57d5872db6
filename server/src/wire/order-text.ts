import { averagePrice, format, formatInstant, type Instant, isPair, type Order } from '@quipu/core'
import { cacheLast, flat, quoted } from './json-text.ts'
import { intents, statuses, types } from './order-words.ts'

/**
 * An order as JSON text, the same bytes as `JSON.stringify(orderToWire(order, legs))`. Responses and trade updates use
 * it because the parts that many orders share are cached: fills with trade updates take four fifths of the time.
 */
export const orderText = (order: Order, legs?: readonly Order[]): string =>
  legs?.length
    ? `${simpleText(order).slice(0, -NO_LEGS.length)}[${legs.map(simpleText).join(',')}]}`
    : simpleText(order)

/** The end of every order without legs, because `legs` is the last field. */
const NO_LEGS = 'null}'

function simpleText(order: Order): string {
  const { createdAt, submittedAt, updatedAt, filledAt, quantity, filledQuantity } = order
  const created = formatInstant(createdAt)
  const updated = updatedAt === createdAt ? created : changed(updatedAt)
  const submitted = submittedAt === createdAt ? created : formatInstant(submittedAt)
  const filled = filledAt === undefined ? 'null' : `"${filledAt === updatedAt ? updated : changed(filledAt)}"`
  const shares = amount(quantity)
  return (
    `{"id":"${order.id}","client_order_id":${quoted(order.clientOrderId)},"created_at":"${created}` +
    `","updated_at":"${updated}","submitted_at":"${submitted}","filled_at":${filled}` +
    `${hasRareEnd(order) ? rareEndOf(order) : commonEnd(order.expiresAt)}${assetOf(order)}` +
    (order.notional === undefined
      ? `,"notional":null,"qty":"${shares}","filled_qty":"`
      : `,"notional":"${format(order.notional)}","qty":null,"filled_qty":"`) +
    `${filledQuantity === quantity ? shares : format(filledQuantity)}","filled_avg_price":` +
    `${averageOf(order)}${termsOf(order)},"limit_price":${order.limit === undefined ? 'null' : limit(order.limit)}` +
    `${order.trigger ? triggerOf(order.trigger) : ''}${tailOf(order)}`
  )
}

const orNull = (value: bigint | undefined): string => (value === undefined ? 'null' : `"${format(value)}"`)
const whenOrNull = (at: Instant | undefined): string => (at === undefined ? 'null' : `"${formatInstant(at)}"`)
const idOrNull = (id: string | undefined): string => (id === undefined ? 'null' : `"${id}"`)

/** Fills of one instant share the time, the price and often the size. */
const changed = cacheLast((at: Instant) => flat(formatInstant(at)))
const average = cacheLast((price: bigint) => `"${format(price)}"`)
const limit = cacheLast((price: bigint) => `"${format(price)}"`)
const amount = cacheLast(format)

function averageOf(order: Order): string {
  const price = averagePrice(order)
  return price === undefined ? 'null' : average(price)
}

/** Whether the order expired, was canceled, replaced or rejected, or replaces another order; most orders do not. */
const hasRareEnd = ({ expiredAt, canceledAt, replacedAt, replacedBy, replaces, failedAt }: Order): boolean =>
  expiredAt !== undefined ||
  canceledAt !== undefined ||
  replacedAt !== undefined ||
  replacedBy !== undefined ||
  replaces !== undefined ||
  failedAt !== undefined

/** The day orders of one session expire at the same time. */
const commonEnd = cacheLast((expiresAt: Instant) =>
  flat(
    `,"expired_at":null,"expires_at":"${formatInstant(expiresAt)}","canceled_at":null,"failed_at":null` +
      ',"replaced_at":null,"replaced_by":null,"replaces":null',
  ),
)

const rareEndOf = (order: Order): string =>
  `,"expired_at":${whenOrNull(order.expiredAt)},"expires_at":"${formatInstant(order.expiresAt)}"` +
  `,"canceled_at":${whenOrNull(order.canceledAt)},"failed_at":${whenOrNull(order.failedAt)}` +
  `,"replaced_at":${whenOrNull(order.replacedAt)},"replaced_by":${idOrNull(order.replacedBy)}` +
  `,"replaces":${idOrNull(order.replaces)}`

const triggerOf = ({ stop, trailPercent, trailPrice, highWater }: NonNullable<Order['trigger']>): string =>
  `,"stop_price":"${format(stop)}","trail_percent":${orNull(trailPercent)}` +
  `,"trail_price":${orNull(trailPrice)},"hwm":${orNull(highWater)}`

/** Has at most one entry per asset of the market. */
const assets = new Map<Order['symbol'], { readonly assetId: Order['assetId']; readonly text: string }>()

function assetOf({ symbol, assetId }: Order): string {
  const known = assets.get(symbol)
  if (known?.assetId === assetId) return known.text
  const kind = isPair(symbol) ? 'crypto' : 'us_equity'
  const text = flat(`,"asset_id":"${assetId}","symbol":${quoted(symbol)},"asset_class":"${kind}"`)
  assets.set(symbol, { assetId, text })
  return text
}

type Terms = Pick<Order, 'side' | 'kind' | 'timeInForce' | 'intent'> & { readonly class: string }
/** Few combinations of terms exist, and the common ones come first, so a list is faster than a map. */
const cachedTerms: (Terms & { readonly text: string })[] = []

function termsOf({ side, kind, timeInForce, intent, group }: Order): string {
  const name = group?.class ?? ''
  for (const terms of cachedTerms)
    if (
      terms.side === side &&
      terms.kind === kind &&
      terms.timeInForce === timeInForce &&
      terms.intent === intent &&
      terms.class === name
    )
      return terms.text
  const text = flat(
    `,"order_class":"${name}","order_type":"${types[kind]}","type":"${types[kind]}","side":"${side}"` +
      `,"position_intent":"${intents[intent]}","time_in_force":"${timeInForce}"`,
  )
  cachedTerms.push({ side, kind, timeInForce, intent, class: name, text })
  return text
}

type Tail = Pick<Order, 'status' | 'extendedHours' | 'source'> & {
  readonly triggered: boolean
  readonly text: string
}
const cachedTails: Tail[] = []

function tailOf({ status, extendedHours, trigger, source }: Order): string {
  const triggered = trigger !== undefined
  for (const tail of cachedTails)
    if (
      tail.status === status &&
      tail.extendedHours === extendedHours &&
      tail.triggered === triggered &&
      tail.source === source
    )
      return tail.text
  const text = flat(
    (triggered ? '' : ',"stop_price":null,"trail_percent":null,"trail_price":null,"hwm":null') +
      `,"ratio_qty":null,"status":"${statuses[status]}","extended_hours":${extendedHours}` +
      `,"subtag":null,"source":${source ? `"${source}"` : 'null'},"legs":null}`,
  )
  cachedTails.push({ status, extendedHours, triggered, text, ...(source && { source }) })
  return text
}
