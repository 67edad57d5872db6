import type { JSX } from 'preact'
import { activityText } from '../../../format/activity-text.ts'
import { gainText, UNKNOWN } from '../../../format/amounts.ts'
import { decimal, multiply, negate, signOf, textOf } from '../../../format/decimal.ts'
import { timeWords } from '../../../format/times.ts'
import type { Activity } from '../../../live/account-store.ts'
import type { Column } from '../../../parts/table/columns.ts'
import { RowTime } from '../../../parts/table/order-columns.tsx'
import { tableState } from '../../../parts/table/table-state.ts'
import { go, hrefOf } from '../../../router.ts'
import { Story } from '../../../story/story.tsx'
import { isFill } from './activity-rows.ts'
import { ActivityTable } from './activity-table.tsx'

const state = tableState('activity', [{ id: 'time', isDown: true }])

const timeOf = (activity: Activity): string =>
  isFill(activity) ? activity.transaction_time : 'created_at' in activity ? activity.created_at : ''

/** What it moved in cash, as text of the API; empty for shares alone. */
function amountOf(activity: Activity): string {
  if (!isFill(activity)) return 'net_amount' in activity ? activity.net_amount : ''
  const value = multiply(decimal(activity.qty), decimal(activity.price))
  return textOf(activity.side === 'buy' ? negate(value) : value)
}

const columns: readonly Column<Activity>[] = [
  {
    id: 'time',
    title: 'Time, New York',
    width: 8.5,
    onPhone: true,
    key: ({ id }) => id,
    text: timeOf,
    words: (activity) => timeWords(timeOf(activity)),
    cell: (activity) => <RowTime at={timeOf(activity)} />,
  },
  {
    id: 'what',
    title: 'What happened',
    width: 24,
    onPhone: true,
    key: activityText,
    text: activityText,
    cell: activityText,
  },
  {
    id: 'amount',
    title: 'Cash',
    width: 8,
    isNumber: true,
    onPhone: true,
    key: (activity) => Number(amountOf(activity) || 0),
    text: amountOf,
    cell: (activity) => {
      const amount = amountOf(activity)
      const isNothing = amount === '' || signOf(decimal(amount)) === 0
      const shown = (
        <span
          class={`n ${isNothing ? 'faint' : ''}`}
          data-number={isNothing ? undefined : `cash.${activity.id}`}
        >
          {isNothing ? UNKNOWN : gainText(amount)}
        </span>
      )
      if (!isFill(activity)) return shown
      return (
        <Story subject={{ order: activity.order_id }} hasFocus>
          {shown}
        </Story>
      )
    },
  },
  {
    id: 'type',
    title: 'Type in the API',
    width: 7,
    isExtra: true,
    key: ({ activity_type: type }) => type,
    text: ({ activity_type: type }) => type,
    cell: ({ activity_type: type }) => <span class="mono soft">{type}</span>,
  },
]

/** What happened to the account, a sentence per row. */
export const ActivityTab = (): JSX.Element => (
  <ActivityTable<Activity>
    what="activity"
    state={state}
    columns={columns}
    open={(activity) => go(isFill(activity) ? hrefOf('orders', activity.order_id) : hrefOf('ledger'))}
    empty={{ title: 'Nothing happened yet', text: 'Fills, dividends and transfers appear here.' }}
  />
)
