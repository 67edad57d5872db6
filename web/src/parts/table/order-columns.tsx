import { computed } from '@preact/signals'
import { orderTypes } from '@quipu/contract/order-types.ts'
import type { WireOrder as Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { priceText, quantityText, UNKNOWN } from '../../format/amounts.ts'
import { isTrailing, statusOf } from '../../format/orders.ts'
import { milliText, nearText, timeWords } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import { symbolHref } from '../../router.ts'
import { Story } from '../../story/story.tsx'
import { validity } from '../../ticket/ticket-fields.ts'
import { Price } from '../amounts.tsx'
import { Side, Status } from '../order-words.tsx'
import type { Column } from './columns.ts'

const HOUR_MS = 3_600_000
/** A row whose time was this morning is drawn again the next day. */
const hour = computed(() => (nowMs.value === undefined ? undefined : Math.floor(nowMs.value / HOUR_MS)))

const isToday = (instant: string, now: number): boolean => Math.abs(Date.parse(instant) - now) < 12 * HOUR_MS

/** A time of the last hours with milliseconds, an earlier one with its day. */
export function RowTime({ at }: { readonly at: string }): JSX.Element {
  void hour.value
  const now = nowMs.peek()
  return (
    <time class="mono faint" dateTime={at} title={at}>
      {now !== undefined && isToday(at, now) ? milliText(at) : nearText(at, now ?? Date.now())}
    </time>
  )
}

const typeText = ({ type }: Order): string => (type === '' ? 'Several legs' : orderTypes[type].label)
const sizeOf = ({ qty, notional }: Order): string =>
  qty == null ? `$${quantityText(notional ?? '0')}` : quantityText(qty)
const priceOf = (order: Order): string | null => order.limit_price ?? order.stop_price
const numberOf = (text: string | null | undefined): number => (text == null ? -1 : Number(text))
const endOf = (order: Order): string | null =>
  order.filled_at ?? order.canceled_at ?? order.expired_at ?? order.replaced_at ?? order.failed_at

/** The columns of a list of orders. `hrefOf` is the address of an order, `symbolHrefOf` that of its symbol. */
export const orderColumns = (
  hrefOf: HrefOf,
  symbolHrefOf = ({ symbol }: Order) => symbolHref(symbol),
): readonly Column<Order>[] => [
  ...whatColumns(symbolHrefOf),
  averageColumn(hrefOf),
  priceColumn,
  statusColumn(hrefOf),
  ...termColumns,
  ...extraColumns,
]

type HrefOf = (id: string) => string

const whatColumns = (symbolHrefOf: (order: Order) => string): readonly Column<Order>[] => [
  {
    id: 'time',
    title: 'Time, New York',
    width: 8.5,
    key: ({ created_at }) => created_at.slice(0, -1),
    text: ({ created_at }) => created_at,
    words: ({ created_at }) => timeWords(created_at),
    cell: ({ created_at }) => <RowTime at={created_at} />,
  },
  {
    id: 'side',
    title: 'Side',
    width: 4,
    onPhone: true,
    key: ({ side }) => side,
    text: ({ side }) => side,
    cell: ({ side }) => <Side side={side} />,
  },
  {
    id: 'symbol',
    title: 'Symbol',
    width: 5,
    onPhone: true,
    key: ({ symbol }) => symbol,
    text: ({ symbol }) => symbol,
    cell: (order) => (
      <a href={symbolHrefOf(order)} tabIndex={-1}>
        <b>{order.symbol}</b>
      </a>
    ),
  },
  {
    id: 'type',
    title: 'Type',
    width: 5.5,
    key: typeText,
    text: typeText,
    cell: typeText,
  },
  {
    id: 'filled',
    title: 'Filled / qty',
    width: 6.5,
    isNumber: true,
    onPhone: true,
    key: ({ qty, notional }) => numberOf(qty ?? notional),
    text: ({ filled_qty, qty, notional }) => `${filled_qty} / ${qty ?? `$${notional}`}`,
    // A spreadsheet would read 5 / 12 as a day of the year.
    csv: [
      { title: 'Filled', text: ({ filled_qty }) => filled_qty },
      { title: 'Quantity', text: ({ qty }) => qty ?? '' },
      { title: 'Notional', text: ({ notional }) => notional ?? '' },
    ],
    cell: (order) => (
      <span class="n">
        <span data-number={`order.${order.id}.filled_qty`}>{quantityText(order.filled_qty)}</span>
        {' / '}
        <span data-number={`order.${order.id}.${order.qty == null ? 'notional' : 'qty'}`}>
          {sizeOf(order)}
        </span>
      </span>
    ),
  },
]

const averageColumn = (hrefOf: HrefOf): Column<Order> => ({
  id: 'average',
  title: 'Average fill',
  width: 6,
  isNumber: true,
  key: ({ filled_avg_price: price }) => numberOf(price),
  text: ({ filled_avg_price: price }) => price ?? '',
  cell: ({ id, filled_avg_price: price }) =>
    price == null ? (
      <span class="faint">{UNKNOWN}</span>
    ) : (
      <Story subject={{ order: id }} hasFocus>
        <a class="source n" href={hrefOf(id)} tabIndex={-1} data-number={`order.${id}.filled_avg_price`}>
          {priceText(price)}
        </a>
      </Story>
    ),
})

const priceColumn: Column<Order> = {
  id: 'price',
  title: 'Limit or stop',
  width: 6.5,
  isNumber: true,
  onPhone: true,
  key: (order) => numberOf(priceOf(order)),
  text: (order) => priceOf(order) ?? '',
  cell: (order) =>
    priceOf(order) == null ? (
      <span class="faint">{UNKNOWN}</span>
    ) : (
      <Price
        value={priceOf(order)}
        of={`order.${order.id}.${order.limit_price == null ? 'stop_price' : 'limit_price'}`}
      />
    ),
}

const statusColumn = (hrefOf: HrefOf): Column<Order> => ({
  id: 'status',
  title: 'Status',
  width: 7,
  onPhone: true,
  key: (order) => statusOf(order).word,
  text: ({ status }) => status,
  words: (order) => statusOf(order).word,
  cell: (order) => (
    <Story subject={{ order: order.id }} hasFocus>
      <a href={hrefOf(order.id)} tabIndex={-1}>
        <Status {...statusOf(order)} api={order.status} />
      </a>
    </Story>
  ),
})

const termColumns: readonly Column<Order>[] = [
  {
    id: 'valid',
    title: 'Valid',
    width: 8.25,
    key: ({ time_in_force: time }) => validity[time],
    text: ({ time_in_force: time }) => validity[time],
    cell: ({ time_in_force: time }) => <span class="soft">{validity[time]}</span>,
  },
  {
    id: 'client',
    title: 'Client id',
    width: 7.5,
    key: ({ client_order_id: id }) => id,
    text: ({ client_order_id: id }) => id,
    cell: ({ client_order_id: id }) => (
      <span class="mono soft" title={id}>
        {id}
      </span>
    ),
  },
]

/** Columns that most viewers do not need. */
const extraColumns: readonly Column<Order>[] = [
  {
    id: 'stop',
    title: 'Stop',
    width: 5,
    isNumber: true,
    isExtra: true,
    key: ({ stop_price: price }) => numberOf(price),
    text: ({ stop_price: price }) => price ?? '',
    cell: ({ id, stop_price: price }) => <Price value={price} of={`order.${id}.stop_price`} />,
  },
  {
    id: 'trail',
    title: 'Trail',
    width: 5,
    isNumber: true,
    isExtra: true,
    key: ({ trail_price: price, trail_percent: percent }) => numberOf(price ?? percent),
    text: ({ trail_price: price, trail_percent: percent }) =>
      price ?? (percent == null ? '' : `${percent} %`),
    cell: (order) =>
      isTrailing(order) ? (
        <span class="n">
          {order.trail_percent == null
            ? priceText(order.trail_price ?? '0')
            : `${quantityText(order.trail_percent)} %`}
        </span>
      ) : (
        <span class="faint">{UNKNOWN}</span>
      ),
  },
  {
    id: 'ended',
    title: 'Ended',
    width: 8.5,
    isExtra: true,
    key: (order) => endOf(order)?.slice(0, -1) ?? '',
    text: (order) => endOf(order) ?? '',
    words: (order) => timeWords(endOf(order) ?? order.created_at),
    cell: (order) => {
      const at = endOf(order)
      return at == null ? <span class="faint">{UNKNOWN}</span> : <RowTime at={at} />
    },
  },
  {
    id: 'id',
    title: 'Order id',
    width: 6.5,
    isExtra: true,
    key: ({ id }) => id,
    text: ({ id }) => id,
    cell: ({ id }) => (
      <span class="mono soft" title={id}>
        {id.slice(0, 8)}
      </span>
    ),
  },
]
