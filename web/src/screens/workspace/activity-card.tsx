import type { JSX } from 'preact'
import { activityWords, isFillActivity } from '../../format/activity-text.ts'
import { gainText } from '../../format/amounts.ts'
import { decimal, multiply, negate } from '../../format/decimal.ts'
import { dayText, nearText } from '../../format/times.ts'
import type { Activity } from '../../live/account-store.ts'
import { nowMs } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import { Card } from '../../parts/card.tsx'
import { Empty, Loading } from '../../parts/states.tsx'
import { hrefOf } from '../../router.ts'

const SHOWN_MAX = 10

/** What happened to the account, newest first. */
export function ActivityCard(): JSX.Element {
  const activities = current.value?.store.activities.value
  return (
    <Card
      title="Recent activity"
      beside={
        <a class="link right" href={hrefOf('ledger')}>
          Ledger
        </a>
      }
    >
      {activities === undefined ? (
        <Loading />
      ) : activities.length === 0 ? (
        <Empty icon="pulse" title="Nothing happened yet">
          Fills, dividends and transfers appear here.
        </Empty>
      ) : (
        <table>
          <thead class="hidden-text">
            <tr>
              <th>Time</th>
              <th>What</th>
              <th>Amount</th>
            </tr>
          </thead>
          <tbody>
            {activities.slice(0, SHOWN_MAX).map((activity) => (
              <tr key={activity.id}>
                <td class="mono faint">{timeOf(activity)}</td>
                <td class="cut" title={activity.activity_type}>
                  <Words activity={activity} />
                </td>
                <td class="r n">{amountOf(activity)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}

function timeOf(activity: Activity): string {
  if (isFillActivity(activity)) return nearText(activity.transaction_time, nowMs.value ?? Date.now())
  // The date has no time of day; noon is on the same day in every zone of America.
  return 'date' in activity ? dayText(`${activity.date}T17:00:00Z`) : ''
}

function Words({ activity }: { readonly activity: Activity }): JSX.Element {
  const { verb, what, rest } = activityWords(activity)
  return (
    <>
      {verb} <b>{what}</b> {rest}
    </>
  )
}

function amountOf(activity: Activity): string {
  if (!isFillActivity(activity))
    return 'net_amount' in activity && activity.net_amount ? gainText(activity.net_amount) : ''
  const value = multiply(decimal(activity.qty), decimal(activity.price))
  return gainText(activity.side === 'buy' ? negate(value) : value)
}
