import type { Client } from '@quipu/sdk'
import type { RunFill } from '@quipu/sdk/runs'
import type { Measured } from './measured.ts'

export type Fill = RunFill

/** The fills of the account since a time, with the quotes at which they were made, and the fees that it paid. */
export async function fillsSince(
  measured: Measured,
  since: string,
): Promise<{ readonly fills: readonly Fill[]; readonly fees: number }> {
  const [activities, events] = await Promise.all([
    activitiesSince(measured, since),
    eventsSince(measured, since),
  ])
  // The fills of an order have one order in both lists.
  const quotes = Map.groupBy(
    events.filter(({ kind }) => kind === 'orderFilled'),
    (event) => event.order_id,
  )
  const fills = activities.map((fill) => {
    const { quote } = (quotes.get(fill.order_id)?.shift()?.event ?? {}) as Partial<FillEvent>
    return quote ? { ...fill, bid: quote.bid, ask: quote.ask } : fill
  })
  return { fills, fees: Math.round(events.reduce((sum, event) => sum + feesIn(event), 0) * 100) / 100 }
}

async function activitiesSince(measured: Measured, since: string): Promise<readonly Fill[]> {
  const { operator, world, accountId } = measured
  const fills: Fill[] = []
  let token: string | undefined
  for (;;) {
    const page = await operator.listActivitiesByTypeForAccount({
      params: { account_id: accountId, activity_type: 'FILL' },
      headers: { 'x-quipu-world': world },
      query: { after: since, direction: 'asc', page_size: 100, ...(token && { page_token: token }) },
    })
    for (const activity of page) {
      if (!('transaction_time' in activity)) continue
      const { transaction_time: at, symbol, side, qty, price, order_id } = activity
      fills.push({ at, symbol, side, qty, price, order_id })
    }
    token = page.at(-1)?.id
    if (page.length < 100) return fills
  }
}

type Event = Awaited<ReturnType<Client['listEvents']>>['events'][number]

/** What is read of events that pay fees, and of fills. */
type FillEvent = {
  readonly price: string
  readonly quote: { readonly bid: string; readonly ask: string }
  readonly posting: readonly { readonly account: string; readonly asset: string; readonly amount: string }[]
}

const PAGE = 1000

/** The fills of the account and its fees. Fees of shares are booked at the end of the day, fees of coins with the fill. */
async function eventsSince(
  { operator, world, accountId }: Measured,
  since: string,
): Promise<readonly Event[]> {
  const found: Event[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Client['listEvents']>> = await operator.listEvents({
      params: { world },
      query: {
        account_id: accountId,
        kind: ['orderFilled', 'feesBooked'],
        limit: PAGE,
        ...(cursor !== null && { cursor }),
      },
    })
    found.push(...page.events.filter(({ at }) => Date.parse(at) >= Date.parse(since)))
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}

/** A fee in coins counts at the price of its fill. */
function feesIn({ event }: Event): number {
  const { posting, price } = event as unknown as FillEvent
  return posting
    .filter(({ account }) => account === 'fees')
    .reduce((sum, { asset, amount }) => sum + Number(amount) * (asset === 'USD' ? 1 : Number(price)), 0)
}
