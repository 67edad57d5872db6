import type { OrderRecord, OrderType } from '@quipu/contract'
import {
  type Asset,
  averagePrice,
  type ClientOrderId,
  format,
  formatInstant,
  isPair,
  type Order,
  type PlaceOrder,
  type Side,
  type TimeInForce,
} from '@quipu/core'
import { amountOf, priceOf } from './amounts.ts'
import { recordText, type TextField } from './json-text.ts'
import { intents, kindOf, orderTypeWords, positionIntent, statuses } from './order-words.ts'

type Written = string | boolean
type Field<Wire = Written | null> = TextField<Order> & { readonly wire: (order: Order) => Wire }
type OrNull<Value, Wire> = undefined extends Value ? Wire | null : Wire

/** A field of responses: its value in the core, if it has one, and how the value is written. */
function field<Value, Wire extends Written>(
  source: (order: Order) => Value,
  write: (value: Exclude<Value, undefined>) => Wire,
): Field<OrNull<Value, Wire>> {
  const toWire = (value: Value) =>
    (value === undefined ? null : write(value as Exclude<Value, undefined>)) as OrNull<Value, Wire>
  return { source, write, text: 'shared', wire: (order) => toWire(source(order)) }
}

/** A field with a different value in most orders. */
const own = <Row extends Field>(row: Row): Row => ({ ...row, text: 'token' })

const same = <Value>(value: Value): Value => value
/** A field that is written as it is. */
const plain = <Value extends Written | undefined>(source: (order: Order) => Value) =>
  field(source, same<Exclude<Value, undefined>>)

/** How a value that clients send is written and read. */
type Shape<Core, Wire> = {
  readonly write: (value: Core) => Wire
  readonly read: (wire: Wire, name: string, asset: Asset | undefined) => Core
}

type Sent = {
  readonly command: keyof PlaceOrder
  readonly read: (wire: never, name: string, asset: Asset | undefined) => unknown
}

/** A field that clients also send: `command` is its name in the command. */
const sent = <
  const Name extends keyof PlaceOrder,
  Value extends PlaceOrder[Name] | undefined,
  Wire extends Written,
>(
  command: Name,
  source: (order: Order) => Value,
  { write, read }: Shape<Exclude<PlaceOrder[Name], undefined>, Wire>,
) => ({ ...field(source, write as (value: Exclude<Value, undefined>) => Wire), command, read })

const unchanged = <Value>(): Shape<Value, Value> => ({ write: same, read: same })
const amount = { write: format, read: amountOf as <Value extends bigint>(text: string) => Value }
const price = { write: format, read: priceOf }

/** The fields of an order, in the order of the wire. Record, JSON text and commands derive from this table. */
const orderFields = {
  id: own(plain(({ id }) => id)),
  client_order_id: {
    ...sent('clientOrderId', ({ clientOrderId }) => clientOrderId, {
      write: same<string>,
      read: (text) => text as ClientOrderId,
    }),
    text: 'escaped',
  },
  created_at: own(field(({ createdAt }) => createdAt, formatInstant)),
  updated_at: own(field(({ updatedAt }) => updatedAt, formatInstant)),
  submitted_at: own(field(({ submittedAt }) => submittedAt, formatInstant)),
  filled_at: own(field(({ filledAt }) => filledAt, formatInstant)),
  expired_at: field(({ expiredAt }) => expiredAt, formatInstant),
  expires_at: field(({ expiresAt }) => expiresAt, formatInstant),
  canceled_at: field(({ canceledAt }) => canceledAt, formatInstant),
  failed_at: field(({ failedAt }) => failedAt, formatInstant),
  replaced_at: field(({ replacedAt }) => replacedAt, formatInstant),
  replaced_by: plain(({ replacedBy }) => replacedBy),
  replaces: plain(({ replaces }) => replaces),
  asset_id: plain(({ assetId }) => assetId),
  symbol: plain(({ symbol }) => symbol),
  asset_class: plain(({ symbol }) => (isPair(symbol) ? 'crypto' : 'us_equity')),
  notional: sent('notional', ({ notional }) => notional, amount),
  qty: own(
    sent('quantity', ({ notional, quantity }) => (notional === undefined ? quantity : undefined), amount),
  ),
  filled_qty: own(field(({ filledQuantity }) => filledQuantity, format)),
  filled_avg_price: own(field(averagePrice, format)),
  order_class: plain(({ group }) => group?.class ?? ''),
  order_type: field(
    ({ kind }) => kind,
    (kind) => orderTypeWords[kind],
  ),
  type: sent('type', ({ kind }) => kind, {
    write: (kind) => orderTypeWords[kind],
    read: (word: OrderType) => kindOf[word],
  }),
  side: sent('side', ({ side }) => side, unchanged<Side>()),
  position_intent: sent('intent', ({ intent }) => intent, {
    write: (intent) => intents[intent],
    read: (word) => positionIntent[word],
  }),
  time_in_force: sent('timeInForce', ({ timeInForce }) => timeInForce, unchanged<TimeInForce>()),
  limit_price: own(sent('limit', ({ limit }) => limit, price)),
  stop_price: sent('stop', ({ trigger }) => trigger?.stop, price),
  trail_percent: sent('trailPercent', ({ trigger }) => trigger?.trailPercent, amount),
  trail_price: sent('trailPrice', ({ trigger }) => trigger?.trailPrice, amount),
  hwm: field(({ trigger }) => trigger?.highWater, format),
  ratio_qty: plain((): string | undefined => undefined),
  status: field(
    ({ status }) => status,
    (status) => statuses[status],
  ),
  extended_hours: sent('extendedHours', ({ extendedHours }) => extendedHours, unchanged<boolean>()),
  subtag: plain((): string | undefined => undefined),
  source: plain(({ source }) => source),
} satisfies { readonly [Name in Exclude<keyof OrderRecord, 'legs'>]: Field<OrderRecord[Name]> }

const fields = Object.entries<Field>(orderFields)

/** An order in responses and trade updates: every key is set, null where it does not apply. */
export const orderToWire = (order: Order, legs?: readonly Order[]): OrderRecord =>
  ({
    ...Object.fromEntries(fields.map(([name, { wire }]) => [name, wire(order)])),
    legs: legs?.length ? legs.map((leg) => orderToWire(leg)) : null,
  }) as OrderRecord

const fieldsText = recordText<Order>(orderFields)

/** An order as JSON text, the same bytes as JSON.stringify of its record. */
export const orderText = (order: Order, legs?: readonly Order[]): string =>
  `${fieldsText(order)},"legs":${legs?.length ? `[${legs.map((leg) => orderText(leg)).join()}]` : 'null'}}`

type Rows = typeof orderFields
type SentName = { [Name in keyof Rows]: Rows[Name] extends Sent ? Name : never }[keyof Rows]
type SentFields = Partial<Pick<PlaceOrder, Rows[SentName]['command']>>

const sentFields = Object.entries<Field | (Field & Sent)>(orderFields).flatMap(([name, row]) =>
  'command' in row ? [[name as SentName, row] as const] : [],
)

/**
 * The function that adds the fields of a request body to a command. Its caller reads the fields `Others`; the build
 * stops if the body has another field that is not read.
 */
export const sentFieldsReader =
  <Body extends { readonly [Name in SentName]?: Written | undefined }, Others extends keyof Body>() =>
  <Command extends object>(
    command: Command,
    body: Body & { readonly [Name in Exclude<keyof Body, SentName | Others>]: never },
    asset: Asset | undefined,
  ): Command & SentFields => {
    const fields = command as Record<string, unknown>
    for (const [name, row] of sentFields) {
      const value = body[name]
      if (value !== undefined) fields[row.command] = row.read(value as never, name, asset)
    }
    return command as Command & SentFields
  }
