import { UNKNOWN } from '../../../format/amounts.ts'
import { type Decimal, decimal, numberOf, percentOf, textOf } from '../../../format/decimal.ts'
import { namesOf } from '../../../live/assets.ts'
import { isStale } from '../../../live/current.ts'
import { Gain, Money, Price, Quantity } from '../../../parts/amounts.tsx'
import { Spark } from '../../../parts/spark.tsx'
import type { Column } from '../../../parts/table/columns.ts'
import { hrefOf, symbolHref } from '../../../router.ts'
import { api } from '../../../session/selection.ts'
import { Story } from '../../../story/story.tsx'
import { dayCurves } from '../day-curves.ts'
import type { LivePosition } from '../live-values.ts'

const nameOf = (symbol: string): string => (api.value && namesOf(api.value).value.get(symbol)) ?? ''

/** A column with a decimal number; `field` is its name in the position of the API. */
function amount(
  id: string,
  title: string,
  width: number,
  amountOf: (row: LivePosition) => Decimal | undefined,
  Shown: typeof Money,
  field?: string,
): Column<LivePosition> {
  return {
    id,
    title,
    width,
    isNumber: true,
    key: (row) => numberOf(amountOf(row) ?? decimal('0')),
    text: (row) => {
      const value = amountOf(row)
      return value ? textOf(value) : ''
    },
    cell: (row) => (
      <Story subject={{ asset: row.position.symbol }} hasFocus>
        <Shown
          value={amountOf(row)}
          stale={isStale()}
          of={field === undefined ? undefined : `position.${row.position.symbol}.${field}`}
        />
      </Story>
    ),
  }
}

const Percent: typeof Money = (props) => <Gain {...props} percent />
const cost = ({ position }: LivePosition): Decimal => decimal(position.cost_basis ?? '0')

export const positionColumns: readonly Column<LivePosition>[] = [
  {
    id: 'symbol',
    title: 'Symbol',
    width: 12.5,
    onPhone: true,
    // Names are read after the positions.
    isLive: true,
    key: ({ position }) => position.symbol,
    text: ({ position }) => position.symbol,
    words: ({ position }) => nameOf(position.symbol),
    cell: ({ position: { symbol } }) => (
      <a href={symbolHref(symbol)} title={nameOf(symbol)} tabIndex={-1}>
        <b>{symbol}</b> <span class="sub wide-only">{nameOf(symbol)}</span>
      </a>
    ),
  },
  {
    ...amount('quantity', 'Quantity', 5, ({ position }) => decimal(position.qty), Quantity, 'qty'),
    onPhone: true,
  },
  amount(
    'average',
    'Average',
    6,
    ({ position }) => decimal(position.avg_entry_price),
    Price,
    'avg_entry_price',
  ),
  { ...amount('last', 'Last', 5.5, ({ last }) => last, Price, 'current_price'), onPhone: true },
  {
    id: 'today',
    title: 'Today',
    width: 4.75,
    key: ({ position }) => Number(position.change_today ?? 0),
    text: ({ position }) => position.change_today ?? '',
    cell: ({ position }) => {
      const values = dayCurves.value.get(position.symbol)
      if (values === undefined || values.length < 2) return <span class="faint">{UNKNOWN}</span>
      return (
        <Spark
          values={values}
          base={Number(position.lastday_price ?? 0) || undefined}
          of={`day.${position.symbol}`}
        />
      )
    },
  },
  {
    ...amount('day', 'Day P/L', 6.5, ({ dayGain }) => dayGain, Gain, 'unrealized_intraday_pl'),
    onPhone: true,
  },
  { ...amount('open', 'Open P/L', 6.5, ({ openGain }) => openGain, Gain, 'unrealized_pl') },
  {
    ...amount('value', 'Value', 7, ({ value }) => value, Money),
    cell: ({ value, position }) => (
      <Story subject={{ asset: position.symbol }} hasFocus>
        <a class="source" href={hrefOf('ledger', undefined, { asset: position.symbol })} tabIndex={-1}>
          <Money value={value} stale={isStale()} of={`position.${position.symbol}.market_value`} />
        </a>
      </Story>
    ),
  },
  {
    ...amount('openPercent', 'Open %', 5, (row) => percentOf(row.openGain, cost(row)), Percent),
    isExtra: true,
  },
  { ...amount('cost', 'Cost', 6.5, cost, Money, 'cost_basis'), isExtra: true },
  {
    ...amount(
      'free',
      'Free',
      5,
      ({ position }) => decimal(position.qty_available ?? position.qty),
      Quantity,
      'qty_available',
    ),
    isExtra: true,
  },
]
