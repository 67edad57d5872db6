import type { Money, Price, Quantity } from '../amount.ts'
import { decode, encode } from '../encode.ts'
import type { AccountId, Brand, OrderId, Ticker } from '../ids.ts'
import type { OrderStatus } from '../orders/transitions.ts'
import { HOUR, type Instant, newYork, newYorkOffsetMinutes } from '../time.ts'

export type ActivityKind =
  | 'fill'
  | 'cashJournal'
  | 'shareJournal'
  | 'deposit'
  | 'withdrawal'
  | 'fee'
  | 'coinFee'
  | 'dividend'
  | 'split'
  | 'nameChange'
  | 'reorganization'

/** What a kind has varieties of. */
export type ActivitySort =
  | 'secFee'
  | 'tafFee'
  | 'catFee'
  | 'cashDividend'
  | 'stockDividend'
  | 'specialDividend'
  | 'forwardSplit'
  | 'reverseSplit'
  | 'unitSplit'
  | 'symbolChange'
  | 'worthless'

/** Where an activity stands among all of a world: in time, by its event, and among those of one event. */
export type ActivityPlace = { readonly at: Instant; readonly seq: number; readonly n: number }

/** One thing that changed what an account holds. */
export type Activity = ActivityPlace & {
  readonly accountId: AccountId
  readonly kind: ActivityKind
  readonly sort?: ActivitySort
  /** Dollars that came, or went. */
  readonly cash: Money
  readonly symbol?: Ticker
  /** Of the symbol: what came, or went. */
  readonly quantity?: Quantity
  /** The shares that a dividend is for: they neither came nor went. */
  readonly shares?: Quantity
  readonly price?: Price
  /** Dollars for each share. */
  readonly perShare?: Money
  readonly description?: string
  /** What it belongs to: a transfer, a journal, a corporate action, a request for tokens. */
  readonly groupId?: string
  readonly fill?: Filled
}

/** The order behind a fill, as it was right after it. */
export type Filled = {
  readonly orderId: OrderId
  readonly status: OrderStatus
  readonly cumulative: Quantity
  readonly leaves: Quantity
}

export type ActivityId = Brand<string, 'ActivityId'>

/**
 * The time in New York to the millisecond, then the place in the form of a UUID: ids are unique, sort as text as their
 * activities do in time, and tell their place to whoever turns a page.
 */
export function activityId({ at, seq, n }: ActivityPlace): ActivityId {
  const place = hex(at, 16) + hex(seq, 12) + hex(n, 2)
  const uuid = `${place.slice(0, 8)}-${place.slice(8, 12)}-4${place.slice(12, 15)}-8${place.slice(15, 18)}`
  return `${clockOf(at)}::${uuid}-${place.slice(18)}` as ActivityId
}

const FORM = /^\d{17}::([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** The place an id tells of; nothing where it is no id of ours. */
export function placeOfActivity(id: string): ActivityPlace | undefined {
  const parts = FORM.exec(id)
  if (!parts) return undefined
  const digits = parts.slice(1).join('')
  const place = {
    at: BigInt(`0x${digits.slice(0, 16)}`) as Instant,
    seq: Number.parseInt(digits.slice(16, 28), 16),
    n: Number.parseInt(digits.slice(28), 16),
  }
  return place.at <= AT_MAX && activityId(place) === id ? place : undefined
}

/** Databases count with 64 bits, and one of them is the sign. */
const AT_MAX = 9_223_372_036_854_775_807n

function hex(value: number | bigint, digits: number): string {
  const text = value.toString(16).padStart(digits, '0')
  if (text.length > digits) throw new Error(`bug: ${value} has more than ${digits} digits`)
  return text
}

/** `yyyyMMddHHmmssSSS`. In the hour that autumn repeats, the clock stands still at its last millisecond. */
function clockOf(at: Instant): string {
  const { date, minuteOfDay, nanosOfMinute, offsetMinutes } = newYork(at)
  const day = date.replaceAll('-', '')
  if (newYorkOffsetMinutes((at - HOUR) as Instant) > offsetMinutes) return `${day}015959999`
  const [hour, minute] = [Math.floor(minuteOfDay / 60), minuteOfDay % 60]
  return day + two(hour) + two(minute) + String(Math.floor(nanosOfMinute / 1_000_000)).padStart(5, '0')
}

const two = (value: number): string => String(value).padStart(2, '0')

/** An activity as one short line; whose it is stands elsewhere. Most are fills: those have no names in them. */
export function encodeActivity({ accountId: _, ...activity }: Activity): string {
  const { fill, at, seq, n, cash, symbol, quantity, price } = activity
  if (!fill) return encode(activity)
  const { orderId, status, cumulative, leaves } = fill
  return (
    `["~${at}",${seq},${n},"~${cash}",${encode(symbol)},"~${quantity}","~${price}",` +
    `"${orderId}","${status}","~${cumulative}","~${leaves}"]`
  )
}

export function decodeActivity(accountId: AccountId, line: string): Activity {
  const read = decode(line) as Omit<Activity, 'accountId'> | readonly unknown[]
  if (!Array.isArray(read)) return { accountId, ...(read as Omit<Activity, 'accountId'>) }
  const [at, seq, n, cash, symbol, quantity, price, orderId, status, cumulative, leaves] = read
  const fill = { orderId, status, cumulative, leaves }
  return { at, seq, n, accountId, kind: 'fill', cash, symbol, quantity, price, fill }
}
