import type { Money, Price, Quantity } from '../amount.ts'
import { decode, encode } from '../encode.ts'
import type { AccountId, Brand, OrderId, Ticker } from '../ids.ts'
import type { OrderStatus } from '../orders/transitions.ts'
import { earlier, HOUR, type Instant, instantOfNanos, newYork, newYorkOffsetMinutes } from '../time.ts'

export type ActivityKind =
  | 'fill'
  | 'cashBookTransfer'
  | 'shareBookTransfer'
  | 'deposit'
  | 'withdrawal'
  | 'fee'
  | 'coinFee'
  | 'dividend'
  | 'split'
  | 'nameChange'
  | 'reorganization'
  | 'interest'

/** Subtypes of an activity kind. */
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
  | 'marginInterest'

/** Position of an activity in the journal: time, event, and index within the event. */
export type ActivityPosition = { readonly at: Instant; readonly seq: number; readonly n: number }

/** One change of an account's holdings. */
export type Activity = ActivityPosition & {
  readonly accountId: AccountId
  readonly kind: ActivityKind
  readonly sort?: ActivitySort
  /** Positive if received, negative if paid. */
  readonly cash: Money
  readonly symbol?: Ticker
  /** Shares or coins of the symbol, signed. */
  readonly quantity?: Quantity
  /** The shares a dividend is paid for; the position itself does not change. */
  readonly shares?: Quantity
  readonly price?: Price
  readonly perShare?: Money
  readonly description?: string
  /** Id of the transfer, book transfer, corporate action or tokenization request. */
  readonly groupId?: string
  readonly fill?: Filled
}

/** An activity without its position in the journal. */
export type ActivityContent = Omit<Activity, 'at' | 'seq' | 'n' | 'accountId'>
export type AccountActivity = { readonly accountId: AccountId; readonly activity: ActivityContent }

/** The order of a fill, right after the fill. */
export type Filled = {
  readonly orderId: OrderId
  readonly status: OrderStatus
  readonly cumulative: Quantity
  readonly leaves: Quantity
}

export type ActivityId = Brand<string, 'ActivityId'>

/**
 * New York time to the millisecond, then the position as a UUID. Ids are unique, sort by time, and contain
 * their position, so a page cursor needs no look-up.
 */
export function activityId({ at, seq, n }: ActivityPosition): ActivityId {
  const digits = hex(at, 16) + hex(seq, 12) + hex(n, 2)
  const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-8${digits.slice(15, 18)}`
  return `${newYorkStamp(at)}::${uuid}-${digits.slice(18)}` as ActivityId
}

const ID_PATTERN = /^\d{17}::([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** Parses an activity id; undefined if the id is malformed. */
export function parseActivityId(id: string): ActivityPosition | undefined {
  const parts = ID_PATTERN.exec(id)
  if (!parts) return undefined
  const digits = parts.slice(1).join('')
  const position = {
    at: instantOfNanos(BigInt(`0x${digits.slice(0, 16)}`)),
    seq: Number.parseInt(digits.slice(16, 28), 16),
    n: Number.parseInt(digits.slice(28), 16),
  }
  return position.at <= AT_MAX && activityId(position) === id ? position : undefined
}

/** Databases store signed 64-bit integers. */
const AT_MAX = 9_223_372_036_854_775_807n

function hex(value: number | bigint, digits: number): string {
  const text = value.toString(16).padStart(digits, '0')
  if (text.length > digits) throw new Error(`bug: ${value} has more than ${digits} digits`)
  return text
}

/**
 * `yyyyMMddHHmmssSSS`. In the hour that is repeated in autumn, the time stays at 01:59:59.999 so that ids
 * keep their order.
 */
function newYorkStamp(at: Instant): string {
  const { date, minuteOfDay, nanosOfMinute, offsetMinutes } = newYork(at)
  const day = date.replaceAll('-', '')
  if (newYorkOffsetMinutes(earlier(at, HOUR)) > offsetMinutes) return `${day}015959999`
  const [hour, minute] = [Math.floor(minuteOfDay / 60), minuteOfDay % 60]
  return (
    day + twoDigits(hour) + twoDigits(minute) + String(Math.floor(nanosOfMinute / 1_000_000)).padStart(5, '0')
  )
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/**
 * One short line; the account id is stored elsewhere. Fills, the most frequent kind, are encoded as arrays
 * without field names.
 */
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
  const decoded = decode(line) as Omit<Activity, 'accountId'> | readonly unknown[]
  if (!Array.isArray(decoded)) return { accountId, ...(decoded as Omit<Activity, 'accountId'>) }
  const [at, seq, n, cash, symbol, quantity, price, orderId, status, cumulative, leaves] = decoded
  const fill = { orderId, status, cumulative, leaves }
  return { at, seq, n, accountId, kind: 'fill', cash, symbol, quantity, price, fill }
}
