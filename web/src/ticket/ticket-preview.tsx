import type { JSX } from 'preact'
import { priceText, quantityText } from '../format/amounts.ts'
import { decimal, sum } from '../format/decimal.ts'
import { Gain, Money } from '../parts/amounts.tsx'
import { LoadingNumber } from '../parts/states.tsx'
import { closedPart } from './closed-part.ts'
import { RefusalNote } from './refusal-note.tsx'
import type { Refusal } from './refusal-text.ts'
import { ticketOrder, ticketPosition } from './ticket-size.ts'
import { isPreviewing, type Preview, preview, previewProblem } from './ticket-state.ts'

/** What the order would do, or why it would be refused. */
export function PreviewText({ stale }: { readonly stale: boolean }): JSX.Element | null {
  const read = preview.value
  if (previewProblem.value !== undefined) return <p class="of-wrong small">{previewProblem.value}</p>
  if (!read) return isPreviewing.value ? <LoadingNumber width="100%" /> : null
  if (read.refusal) return <RefusalNote refusal={read.refusal as Refusal} />
  const isBuy = ticketOrder.value.side === 'buy'
  const closed = closedPart(read, ticketPosition.value, isBuy)
  const fees = sum(
    (read.fees ?? []).filter(({ asset }) => asset === 'USD').map(({ amount }) => decimal(amount)),
  )
  return (
    <dl class={`pairs ${isPreviewing.value ? 'faint' : ''}`}>
      <dt>{isBuy ? 'You pay' : 'You receive'}, if filled</dt>
      <dd>
        <Money value={read.estimated_value} stale={stale} of="preview.estimated_value" />
      </dd>
      {closed && (
        <>
          <dt>Gain on these {quantityText(closed.quantity)}</dt>
          <dd>
            <Gain value={closed.gain} stale={stale} of="preview.closed_gain" />
          </dd>
        </>
      )}
      <dt>Fees</dt>
      <dd>
        <Money value={fees} stale={stale} of="preview.fees" />
      </dd>
      <dt>Buying power after</dt>
      <dd>
        <Money value={read.buying_power_after} stale={stale} of="preview.buying_power_after" />
      </dd>
      <dt>Fills</dt>
      <dd>{fillText(read)}</dd>
    </dl>
  )
}

function fillText({ outcome, fills = [], qty, remaining_qty: rest }: Preview): string {
  const filled = quantityText(sum(fills.map((fill) => decimal(fill.qty))))
  const price = fills[0] ? ` at ${priceText(fills[0].price)}` : ''
  if (outcome === 'filled') return `at once, all ${filled}${price}`
  if (outcome === 'partially_filled')
    return `${filled} at once, ${quantityText(rest ?? '0')} wait${rest === '1' ? 's' : ''}`
  if (outcome === 'waits') return `waits${qty === undefined ? '' : `, all ${quantityText(qty)}`}`
  return outcome === 'canceled' ? 'nothing; canceled at once' : 'rejected by the market'
}
