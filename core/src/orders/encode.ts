import type { RegulatoryFees } from '../account/fees.ts'
import { NO_QUANTITY } from '../amount.ts'
import { encode } from '../encode.ts'
import type { BrokerEvent } from '../events.ts'
import type { AccountId, AssetId, Ticker } from '../ids.ts'
import type { Posting } from '../ledger/posting.ts'
import type { Quote } from '../market/prices.ts'
import type { DecidedWith, OrderAccepted, OrderFilled } from './events.ts'
import type { Order } from './order.ts'
import { isSimple } from './record.ts'
import { remembering } from './remembered.ts'

/**
 * The same bytes as `encode` gives, for what a busy world writes most: an order, and its way from being placed to
 * its end. The templates name the keys in the order in which `decide` and `apply` make them; a test compares both
 * ways on every kind of order. Measured on an accepted order: 3.2 µs here, 7.5 µs by `encode`.
 */
export function encodeEvent(event: BrokerEvent): string {
  switch (event.kind) {
    case 'orderAccepted':
      return accepted(event)
    case 'orderWorked':
      return `${head(event)},"orderId":"${event.orderId}"}`
    case 'orderCanceled':
      return `${head(event)},"orderId":"${event.orderId}","why":"${event.why}"}`
    case 'orderFilled':
      return isPlainFill(event) ? filled(event) : encode(event)
    default:
      return encode(event)
  }
}

export function encodeOrder(order: Order): string {
  if (!isSimple(order)) return encode(order)
  const { limit, filledAt, canceledAt, expiredAt, createdAt, reserve } = order
  const price = `"~${reserve}"`
  const created = instant(createdAt)
  // An order on its way to the market has one time under several names, and bigints are slow to write.
  const at = (other: bigint): string => (other === createdAt ? created : `"~${other}"`)
  return (
    `{"id":"${order.id}"${account(order.accountId)},"clientOrderId":${encode(order.clientOrderId)}` +
    `${asset(order)}${terms(order)},"quantity":"~${order.quantity}"` +
    (limit === undefined ? '' : `,"limit":${limit === reserve ? price : `"~${limit}"`}`) +
    `,"status":"${order.status}","reserve":${price}${fillsOf(order)}` +
    `,"createdAt":${created},"submittedAt":${at(order.submittedAt)},"updatedAt":${at(order.updatedAt)}` +
    `,"expiresAt":${ending(order.expiresAt)},"dueAt":${at(order.dueAt)}` +
    (filledAt === undefined ? '' : `,"filledAt":${at(filledAt)}`) +
    (canceledAt === undefined ? '' : `,"canceledAt":${at(canceledAt)}`) +
    (expiredAt === undefined ? '' : `,"expiredAt":${at(expiredAt)}`) +
    '}'
  )
}

const fillsOf = ({ filledQuantity, filledValue }: Order): string =>
  filledQuantity === NO_QUANTITY && filledValue === 0n
    ? ',"filledQuantity":"~0","filledValue":"~0"'
    : `,"filledQuantity":"~${filledQuantity}","filledValue":"~${filledValue}"`

const accepted = (event: OrderAccepted): string =>
  `${head(event)},"order":${encodeOrder(event.order)},"decidedWith":${decidedWith(event.decidedWith)}}`

function decidedWith(numbers: DecidedWith): string {
  const { session, reference, quote, traded, cost, buyingPower, multiplier, position, available } = numbers
  // What was written before sessions were, and what nothing was looked at for.
  if (session === undefined || reference === undefined) return encode(numbers)
  return (
    `{"session":"${session}","reference":"~${reference}"` +
    (quote === undefined ? '' : `,"quote":${shown(quote)}`) +
    (traded === undefined ? '' : `,"traded":"~${traded}"`) +
    (cost === undefined
      ? ''
      : `,"cost":"~${cost}","buyingPower":"~${buyingPower}","multiplier":${multiplier}`) +
    (position === undefined ? '' : `,"position":"~${position}","available":"~${available}"`) +
    '}'
  )
}

const isPlainFill = ({ rest, auction, coinFee }: OrderFilled): boolean =>
  rest === undefined && auction === undefined && coinFee === undefined

function filled(event: OrderFilled): string {
  const { quantity, cash } = event
  const [shares, dollars] = [String(quantity), String(cash)]
  // A fill moves what it says it does, and bigints are slow to write.
  const amount = (moved: bigint): string =>
    moved === quantity
      ? shares
      : moved === cash
        ? dollars
        : moved === -quantity
          ? `-${shares}`
          : moved === -cash
            ? `-${dollars}`
            : String(moved)
  return (
    `${head(event)},"orderId":"${event.orderId}","executionId":"${event.executionId}"` +
    `,"symbol":${word(event.symbol)},"price":"~${price(event.price)}","quantity":"~${shares}"` +
    `,"cash":"~${dollars}","settles":"${event.settles}","positionAfter":"~${amount(event.positionAfter)}"` +
    `,"quote":${shown(event.quote)},"posting":${legs(event.posting, amount)}` +
    (event.fees ? `,"fees":${feesOf(event.fees)}}` : '}')
  )
}

/** In the order in which they are reckoned. */
function feesOf({ sec, taf, cat }: RegulatoryFees): string {
  const parts = [
    ...(sec === undefined ? [] : [`"sec":"~${sec}"`]),
    ...(taf === undefined ? [] : [`"taf":"~${taf}"`]),
    ...(cat === undefined ? [] : [`"cat":"~${cat}"`]),
  ]
  return `{${parts.join(',')}}`
}

function legs(posting: Posting, amountOf: (amount: bigint) => string): string {
  let text = ''
  for (const { account, asset, amount } of posting)
    text += `${text === '' ? '' : ','}{"account":${word(account)},"asset":${word(asset)},"amount":"~${amountOf(amount)}"}`
  return `[${text}]`
}

const head = ({ kind, at, accountId }: { kind: string; at: bigint; accountId: AccountId }): string =>
  `{"kind":"${kind}","at":${instant(at)}${account(accountId)}`

/** Text that is made again only for another value than the last. */
function remembered<Value>(write: (value: Value) => string): (value: Value) => string {
  let last: Value | undefined
  let text = ''
  return (value) => {
    if (value !== last) [last, text] = [value, write(value)]
    return text
  }
}

/** What happens in one moment has its time, and often its account; the orders of a day have one end. */
const instant = remembered((at: bigint) => `"~${at}"`)
const ending = remembered((at: bigint) => `"~${at}"`)
const account = remembered((id: AccountId) => `,"accountId":"${id}"`)
const price = remembered(String)
/** Names of accounts, assets and symbols come again and again. */
const word = remembering((name) => encode(name))
/** A quote holds for all that it fills. */
const shown = remembered((quote: Quote) => encode(quote))

/** There are as many as the market has assets. */
const assets = new Map<Ticker, { readonly assetId: AssetId; readonly text: string }>()

function asset({ symbol, assetId }: Order): string {
  const known = assets.get(symbol)
  if (known?.assetId === assetId) return known.text
  const text = `,"symbol":${encode(symbol)},"assetId":"${assetId}"`
  assets.set(symbol, { assetId, text })
  return text
}

type Terms = Pick<Order, 'side' | 'kind' | 'timeInForce' | 'extendedHours' | 'intent'>
/** Orders come in few kinds, and these are nearly always among the first that were seen. */
const seen: (Terms & { readonly text: string })[] = []

function terms({ side, kind, timeInForce, extendedHours, intent }: Order): string {
  for (const one of seen)
    if (
      one.side === side &&
      one.kind === kind &&
      one.timeInForce === timeInForce &&
      one.extendedHours === extendedHours &&
      one.intent === intent
    )
      return one.text
  const text =
    `,"side":"${side}","kind":"${kind}","timeInForce":"${timeInForce}"` +
    `,"extendedHours":${extendedHours},"intent":"${intent}"`
  seen.push({ side, kind, timeInForce, extendedHours, intent, text })
  return text
}
