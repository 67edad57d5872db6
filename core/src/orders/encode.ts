import type { RegulatoryFees } from '../account/fees.ts'
import { NO_QUANTITY } from '../amount.ts'
import { digitsOf } from '../digits.ts'
import { encode } from '../encode.ts'
import type { BrokerEvent } from '../events.ts'
import type { AccountId, AssetId, Ticker } from '../ids.ts'
import { STREET, USD } from '../ledger/chart.ts'
import type { Leg, Posting } from '../ledger/posting.ts'
import type { Quote } from '../market/prices.ts'
import type { DecidedWith, OrderAccepted, OrderFilled } from './events.ts'
import type { Order } from './order.ts'
import { isSimple } from './record.ts'
import { copyOf, remembering } from './remembered.ts'

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
      return `${head('{"kind":"orderWorked","at":"~', event)},"orderId":"${event.orderId}"}`
    case 'orderCanceled':
      return `${head('{"kind":"orderCanceled","at":"~', event)},"orderId":"${event.orderId}${why(event.why)}`
    case 'orderFilled':
      return isPlainFill(event) ? filled(event) : encode(event)
    default:
      return encode(event)
  }
}

export function encodeOrder(order: Order): string {
  if (!isSimple(order)) return encode(order)
  const { limit, filledAt, canceledAt, expiredAt, reserve } = order
  const price = digitsOf(reserve)
  return (
    `{"id":"${order.id}${account(order.accountId)},"clientOrderId":${encode(order.clientOrderId)}` +
    `${asset(order)}${terms(order)},"quantity":"~${digitsOf(order.quantity)}` +
    (limit === undefined ? '' : `","limit":"~${limit === reserve ? price : digitsOf(limit)}`) +
    `${statusText(order.status)}${price}${fillsOf(order)}${timesOf(order)}` +
    (filledAt === undefined ? '"' : `","filledAt":"~${instant(filledAt)}"`) +
    (canceledAt === undefined ? '' : `,"canceledAt":"~${instant(canceledAt)}"`) +
    (expiredAt === undefined ? '}' : `,"expiredAt":"~${instant(expiredAt)}"}`)
  )
}

/** An order on its way to the market has one time under several names, and bigints are slow to write. */
function timesOf({ createdAt, submittedAt, updatedAt, expiresAt, dueAt }: Order): string {
  const created = instant(createdAt)
  const submitted = submittedAt === createdAt ? created : String(submittedAt)
  const updated = updatedAt === createdAt ? created : String(updatedAt)
  const due = dueAt === createdAt ? created : String(dueAt)
  return `${created}","submittedAt":"~${submitted}","updatedAt":"~${updated}${ending(expiresAt)}${due}`
}

const fillsOf = ({ filledQuantity, filledValue }: Order): string =>
  filledQuantity === NO_QUANTITY && filledValue === 0n
    ? '","filledQuantity":"~0","filledValue":"~0","createdAt":"~'
    : `","filledQuantity":"~${filledQuantity}","filledValue":"~${filledValue}","createdAt":"~`

const accepted = (event: OrderAccepted): string =>
  `${head('{"kind":"orderAccepted","at":"~', event)},"order":${encodeOrder(event.order)}` +
  `,"decidedWith":${decidedWith(event.decidedWith)}}`

function decidedWith(numbers: DecidedWith): string {
  const { session, reference, quote, traded, cost, buyingPower, multiplier, position, available } = numbers
  // What was written before sessions were, and what nothing was looked at for.
  if (session === undefined || reference === undefined) return encode(numbers)
  return (
    `${sessionText(session)}${digitsOf(reference)}"` +
    (quote === undefined ? '' : `,"quote":${shown(quote)}`) +
    (traded === undefined ? '' : `,"traded":"~${traded}"`) +
    (cost === undefined
      ? ''
      : `,"cost":"~${digitsOf(cost)}","buyingPower":"~${digitsOf(buyingPower!)}","multiplier":${multiplier}`) +
    (position === undefined ? '' : `,"position":"~${position}","available":"~${available}"`) +
    '}'
  )
}

const isPlainFill = ({ rest, auction, coinFee }: OrderFilled): boolean =>
  rest === undefined && auction === undefined && coinFee === undefined

function filled(event: OrderFilled): string {
  const { posting, positionAfter } = event
  const moved = movedText(event)
  return (
    `${fillHead(event.at)}${event.accountId}","orderId":"${event.orderId}","executionId":"${event.executionId}` +
    `${moved}${positionAfter === event.quantity ? quantity(positionAfter) : positionAfter}${fillQuote(event.quote)}` +
    `${legs(posting, event)}${event.fees ? fees(event.fees) : ']}'}`
  )
}

/** What fills of one moment have in common. */
const fillHead = remembered((at: bigint) => copyOf(`{"kind":"orderFilled","at":"~${at}","accountId":"`))
const fillQuote = remembered((quote: Quote) => copyOf(`","quote":${encode(quote)},"posting":[`))
const fees = remembered((taken: RegulatoryFees) => copyOf(`],"fees":${encode(taken)}}`))
const quantity = remembered(String)
const cash = remembered(String)

let latest: Pick<OrderFilled, 'symbol' | 'price' | 'quantity' | 'cash' | 'settles'> | undefined
let latestText = ''

/** And those of one size. */
function movedText(event: OrderFilled): string {
  if (
    latest?.quantity === event.quantity &&
    latest.price === event.price &&
    latest.cash === event.cash &&
    latest.symbol === event.symbol &&
    latest.settles === event.settles
  )
    return latestText
  latestText =
    `","symbol":${word(event.symbol)},"price":"~${event.price}","quantity":"~${quantity(event.quantity)}` +
    `","cash":"~${cash(event.cash)}","settles":"${event.settles}","positionAfter":"~`
  latest = {
    symbol: event.symbol,
    price: event.price,
    quantity: event.quantity,
    cash: event.cash,
    settles: event.settles,
  }
  return latestText
}

function legs(posting: Posting, event: OrderFilled): string {
  let text = ''
  for (let at = 0; at < posting.length; at++) {
    const leg = posting[at]!
    const { asset } = leg
    const one =
      leg.account === STREET ? (asset === USD ? streetCash(leg) : streetShares(leg)) : legText(leg, event)
    text = at === 0 ? one : `${text},${one}`
  }
  return text
}

const legText = ({ account, asset, amount }: Leg, event: OrderFilled): string =>
  `{"account":${word(account)},"asset":${word(asset)},"amount":"~${amountText(amount, event)}"}`

/** A fill moves what it says it does, and bigints are slow to write. */
function amountText(moved: bigint, event: OrderFilled): string {
  if (moved === event.quantity) return quantity(moved)
  if (moved === event.cash) return cash(moved)
  if (moved === -event.cash) return `-${cash(event.cash)}`
  return moved === -event.quantity ? `-${quantity(event.quantity)}` : String(moved)
}

/** The street's legs are shared by fills of one size. */
const streetLeg = (leg: Leg): string => copyOf(encode(leg))
const streetCash = remembered(streetLeg)
const streetShares = remembered(streetLeg)

const head = (kind: string, { at, accountId }: { at: bigint; accountId: AccountId }): string =>
  `${kind}${instant(at)}${account(accountId)}`

/** Text that is made again only for another value than the last. */
function remembered<Value>(write: (value: Value) => string): (value: Value) => string {
  let last: Value | undefined
  let text = ''
  return (value) => {
    if (value !== last) {
      text = write(value)
      last = value
    }
    return text
  }
}

/** What happens in one moment has its time, and often its account; the orders of a day have one end. */
const instant = remembered((at: bigint) => String(at))
// What is remembered is one piece: whoever puts it into a text would have to walk through all that it is made of.
const ending = remembered((at: bigint) => copyOf(`","expiresAt":"~${at}","dueAt":"~`))
const account = remembered((id: AccountId) => copyOf(`","accountId":"${id}"`))
const statusText = remembered((status: Order['status']) => copyOf(`","status":"${status}","reserve":"~`))
const sessionText = remembered((session: string) => copyOf(`{"session":"${session}","reference":"~`))
const why = remembered((reason: string) => copyOf(`","why":"${reason}"}`))
/** Names of accounts, assets and symbols come again and again. */
const word = remembering((name) => copyOf(encode(name)))
/** A quote holds for all that it fills. */
const shown = remembered((quote: Quote) => copyOf(encode(quote)))

/** There are as many as the market has assets. */
const assets = new Map<Ticker, { readonly assetId: AssetId; readonly text: string }>()

function asset({ symbol, assetId }: Order): string {
  const known = assets.get(symbol)
  if (known?.assetId === assetId) return known.text
  const text = copyOf(`,"symbol":${encode(symbol)},"assetId":"${assetId}"`)
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
  const text = copyOf(
    `,"side":"${side}","kind":"${kind}","timeInForce":"${timeInForce}"` +
      `,"extendedHours":${extendedHours},"intent":"${intent}"`,
  )
  seen.push({ side, kind, timeInForce, extendedHours, intent, text })
  return text
}
