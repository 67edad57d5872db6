import type { JSX } from 'preact'
import { priceText } from '../format/amounts.ts'
import { needsPrice } from '../ticket/ticket-fields.ts'
import { ticketOrder } from '../ticket/ticket-size.ts'
import type { ChartView } from './chart-view.ts'

/** The limit that is typed into the ticket and not sent: a dotted line. */
export function DraftLine({
  symbol,
  view,
}: {
  readonly symbol: string
  readonly view: ChartView
}): JSX.Element | null {
  const ticket = ticketOrder.value
  const { limitPrice, side } = ticket
  if (ticket.symbol !== symbol || !needsPrice(ticket, 'limit_price')) return null
  if (!/^\d+(\.\d+)?$/.test(limitPrice)) return null
  const y = view.y(Number(limitPrice))
  if (y < 0 || y > view.height) return null
  return (
    <div class="draft-line" style={{ top: `${y}px`, width: `${view.width}px` }}>
      <span class="draft-name">{side === 'buy' ? 'Buy' : 'Sell'} limit, not sent</span>
      <span class="axis-tag" aria-hidden="true">
        {priceText(limitPrice)}
      </span>
    </div>
  )
}
