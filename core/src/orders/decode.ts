import { type Money, NO_QUANTITY, type Price, type Quantity } from '../amount.ts'
import { decode } from '../encode.ts'
import type { BrokerEvent } from '../events.ts'
import type { AccountId, ClientOrderId, ExecutionId, OrderId, Ticker } from '../ids.ts'
import type { LedgerAccount, LedgerAsset } from '../ledger/chart.ts'
import type { Leg } from '../ledger/posting.ts'
import type { Quote } from '../market/prices.ts'
import type { CivilDate, Instant } from '../time.ts'
import type { DecidedWith, OrderAccepted, OrderAcknowledged, OrderCanceled, OrderFilled } from './events.ts'
import type { Order } from './order.ts'
import { bigintIn, cachedByText, flatCopy, textIn } from './text-cache.ts'

/**
 * A faster `decode` for the lines of `encodeEvent`, because a start reads millions of them. A line that does
 * not match a pattern exactly falls back to `decode`; a test compares both on every kind of order. Measured
 * on an accepted order: 3.9 µs here, 8.2 µs with `decode`, half of that for JSON alone.
 */
export function decodeEvent(line: string): BrokerEvent {
  // The kind is at a fixed offset, and one letter distinguishes the four.
  const event = readers[line.charAt(KIND_AT)]?.(line)
  return event ?? (decode(line) as BrokerEvent)
}

const KIND_AT = '{"kind":"order'.length

type Reader = (line: string) => BrokerEvent | undefined
const readers: Readonly<Record<string, Reader>> = {
  A: readAccepted,
  W: readWorked,
  F: readFilled,
  C: readCanceled,
}

/** Text without characters that JSON or `encode` escapes. */
const PLAIN = '"([^"\\\\~][^"\\\\]*)"'
const BIGINT = '"~(-?\\d+)"'
const HEAD = `"at":${BIGINT},"accountId":${PLAIN}`

const ACCEPTED = new RegExp(
  `^\\{"kind":"orderAccepted",${HEAD},"order":\\{"id":${PLAIN},"accountId":"\\2","clientOrderId":${PLAIN}` +
    ',("symbol":[^~\\\\]*,"quantity":"~\\d+"),((?:"limit":"~\\d+",)?"status":"\\w+","reserve":"~\\d+")' +
    ',"filledQuantity":"~0","filledValue":"~0","createdAt":"~\\1","submittedAt":"~\\1","updatedAt":"~\\1"' +
    `,"expiresAt":${BIGINT},"dueAt":${BIGINT}\\},"decidedWith":\\{(?:"session":"(\\w+)",)?"reference":${BIGINT}` +
    `(?:,"quote":(\\{[^}]*\\}))?(?:,"traded":${BIGINT})?` +
    `(?:,"cost":${BIGINT},"buyingPower":${BIGINT}(?:,"multiplier":(\\d))?|` +
    `(?:,"position":${BIGINT})?,"available":${BIGINT})\\}\\}$`,
)

type Terms = Pick<
  Order,
  'symbol' | 'assetId' | 'side' | 'kind' | 'timeInForce' | 'extendedHours' | 'intent'
> &
  Pick<Order, 'quantity'>
type PriceAndStatus = Pick<Order, 'limit' | 'status' | 'reserve'>

// Cached, because many orders have the same terms and price.
const termsIn = cachedByText((fields) => decode(`{${fields}}`) as Terms)
const priceAndStatusIn = cachedByText((fields) => decode(`{${fields}}`) as PriceAndStatus)

function readAccepted(line: string): OrderAccepted | undefined {
  const found = ACCEPTED.exec(line)
  if (!found) return undefined
  const at = instantIn(found[1]!)
  const accountId = textIn(found[2]!) as AccountId
  return {
    kind: 'orderAccepted',
    at,
    accountId,
    order: orderOf(found[5]!, found[6]!, {
      id: flatCopy(found[3]!) as OrderId,
      accountId,
      clientOrderId: flatCopy(found[4]!) as ClientOrderId,
      at,
      expiresAt: bigintIn(found[7]!) as Instant,
      dueAt: instantIn(found[8]!),
    }),
    decidedWith: decidedWithIn(found),
  }
}

/** Most orders were decided by the limit and the buying power alone. */
function decidedWithIn(found: RegExpExecArray): DecidedWith {
  const [session, reference] = [found[9] as DecidedWith['session'], bigintIn(found[10]!) as Price]
  const [quote, traded, cost, buyingPower, multiplier] = [
    found[11],
    found[12],
    found[13],
    found[14],
    found[15],
  ]
  const money =
    cost === undefined
      ? undefined
      : { cost: bigintIn(cost) as Money, buyingPower: BigInt(buyingPower!) as Money }
  if (session && money && multiplier && quote === undefined && traded === undefined) {
    const { cost, buyingPower } = money
    return { session, reference, cost, buyingPower, multiplier: multiplierIn(multiplier) }
  }
  return {
    ...(session === undefined ? undefined : { session }),
    reference,
    ...(quote === undefined ? undefined : { quote: quoteIn(quote) }),
    ...(traded === undefined ? undefined : { traded: bigintIn(traded) as Price }),
    ...money,
    ...(multiplier === undefined ? undefined : { multiplier: multiplierIn(multiplier) }),
    ...(found[16] === undefined ? undefined : { position: bigintIn(found[16]) as Quantity }),
    ...(found[17] === undefined ? undefined : { available: BigInt(found[17]) as Quantity }),
  }
}

const multiplierIn = (text: string): 1 | 2 | 4 => Number(text) as 1 | 2 | 4

function orderOf(termsText: string, priceText: string, fields: OrderFields): Order {
  const [terms, price] = [termsIn(termsText), priceAndStatusIn(priceText)]
  const { limit } = price
  return limit === undefined ? marketOrder(terms, price, fields) : limitOrder(limit, terms, price, fields)
}

type OrderFields = Pick<Order, 'id' | 'accountId' | 'clientOrderId' | 'expiresAt' | 'dueAt'> & {
  readonly at: Instant
}

// Both list all fields, because creating a record in one literal is several times as fast.
function limitOrder(limit: Price, terms: Terms, price: PriceAndStatus, fields: OrderFields): Order {
  return {
    id: fields.id,
    accountId: fields.accountId,
    clientOrderId: fields.clientOrderId,
    symbol: terms.symbol,
    assetId: terms.assetId,
    side: terms.side,
    kind: terms.kind,
    timeInForce: terms.timeInForce,
    extendedHours: terms.extendedHours,
    intent: terms.intent,
    quantity: terms.quantity,
    limit,
    status: price.status,
    reserve: price.reserve,
    filledQuantity: NO_QUANTITY,
    filledValue: 0n,
    createdAt: fields.at,
    submittedAt: fields.at,
    updatedAt: fields.at,
    expiresAt: fields.expiresAt,
    dueAt: fields.dueAt,
  }
}

function marketOrder(terms: Terms, price: PriceAndStatus, fields: OrderFields): Order {
  return {
    id: fields.id,
    accountId: fields.accountId,
    clientOrderId: fields.clientOrderId,
    symbol: terms.symbol,
    assetId: terms.assetId,
    side: terms.side,
    kind: terms.kind,
    timeInForce: terms.timeInForce,
    extendedHours: terms.extendedHours,
    intent: terms.intent,
    quantity: terms.quantity,
    status: price.status,
    reserve: price.reserve,
    filledQuantity: NO_QUANTITY,
    filledValue: 0n,
    createdAt: fields.at,
    submittedAt: fields.at,
    updatedAt: fields.at,
    expiresAt: fields.expiresAt,
    dueAt: fields.dueAt,
  }
}

const WORKED = new RegExp(`^\\{"kind":"orderAcknowledged",${HEAD},"orderId":${PLAIN}\\}$`)
const CANCELED = new RegExp(`^\\{"kind":"orderCanceled",${HEAD},"orderId":${PLAIN},"why":${PLAIN}\\}$`)

// The order id is only looked up, never stored, so it may remain a slice of its line.
function readWorked(line: string): OrderAcknowledged | undefined {
  const found = WORKED.exec(line)
  if (!found) return undefined
  const [, time, account, order] = found
  const at = instantIn(time!)
  return {
    kind: 'orderAcknowledged',
    at,
    accountId: textIn(account!) as AccountId,
    orderId: order as OrderId,
  }
}

function readCanceled(line: string): OrderCanceled | undefined {
  const found = CANCELED.exec(line)
  if (!found) return undefined
  const [, time, account, order, why] = found
  return {
    kind: 'orderCanceled',
    at: instantIn(time!),
    accountId: textIn(account!) as AccountId,
    orderId: order as OrderId,
    why: textIn(why!) as OrderCanceled['why'],
  }
}

const LEG = `\\{"account":${PLAIN},"asset":${PLAIN},"amount":${BIGINT}\\}`
const FILLED = new RegExp(
  `^\\{"kind":"orderFilled",${HEAD},"orderId":${PLAIN},"executionId":${PLAIN},"symbol":${PLAIN}` +
    `,"price":${BIGINT},"quantity":${BIGINT},"cash":${BIGINT},"settles":${PLAIN},"positionAfter":${BIGINT}` +
    `,"quote":(\\{[^}]*\\}),"posting":\\[${LEG},${LEG},${LEG},${LEG}\\](?:,"fees":(\\{[^}]*\\}))?\\}$`,
)

function readFilled(line: string): OrderFilled | undefined {
  const found = FILLED.exec(line)
  if (!found) return undefined
  const fees = found[24]
  const event: OrderFilled = {
    kind: 'orderFilled',
    at: instantIn(found[1]!),
    accountId: textIn(found[2]!) as AccountId,
    orderId: found[3] as OrderId,
    executionId: found[4] as ExecutionId,
    symbol: textIn(found[5]!) as Ticker,
    price: bigintIn(found[6]!) as Price,
    quantity: bigintIn(found[7]!) as Quantity,
    cash: bigintIn(found[8]!) as Money,
    settles: textIn(found[9]!) as CivilDate,
    positionAfter: bigintIn(found[10]!) as Quantity,
    quote: quoteIn(found[11]!),
    posting: [legIn(found, 12), legIn(found, 15), legIn(found, 18), legIn(found, 21)],
  }
  return fees === undefined ? event : { ...event, fees: feesIn(fees) }
}

const feesIn = cachedByText((text) => decode(text) as NonNullable<OrderFilled['fees']>)

const quoteIn = cachedByText((text) => decode(text) as Quote)

const legIn = (found: readonly string[], from: number): Leg => ({
  account: textIn(found[from]!) as LedgerAccount,
  asset: textIn(found[from + 1]!) as LedgerAsset,
  amount: bigintIn(found[from + 2]!),
})

/** Events of one moment have the same time. */
const instantIn = (() => {
  let [lastText, instant] = ['0', 0n]
  return (text: string): Instant => {
    if (text !== lastText) [lastText, instant] = [text, BigInt(text)]
    return instant as Instant
  }
})()
