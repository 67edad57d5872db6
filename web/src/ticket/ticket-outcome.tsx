import type { JSX } from 'preact'
import { moneyText, priceText, quantityText } from '../format/amounts.ts'
import { decimal, sum } from '../format/decimal.ts'
import { Money } from '../parts/amounts.tsx'
import { Icon } from '../parts/icon.tsx'
import { LoadingNumber } from '../parts/states.tsx'
import { hrefOf } from '../router.ts'
import { api } from '../session/selection.ts'
import { type Refusal, refusalText } from './refusal-text.ts'
import { changeTicket } from './ticket-fields.ts'
import { isPreviewing, type Preview, preview, previewProblem, type Sending, sending } from './ticket-state.ts'

/** What the order would do, or why it would be refused. */
export function PreviewText(): JSX.Element | null {
  const read = preview.value
  if (previewProblem.value !== undefined) return <p class="of-wrong small">{previewProblem.value}</p>
  if (!read) return isPreviewing.value ? <LoadingNumber width="100%" /> : null
  if (read.refusal) return <RefusalNote refusal={read.refusal as Refusal} />
  const fees = sum(
    (read.fees ?? []).filter(({ asset }) => asset === 'USD').map(({ amount }) => decimal(amount)),
  )
  return (
    <dl class={`pairs ${isPreviewing.value ? 'faint' : ''}`}>
      <dt>Cost</dt>
      <dd>
        <Money value={read.cost} />
      </dd>
      <dt>Fees</dt>
      <dd>
        <Money value={fees} />
      </dd>
      <dt>Buying power after</dt>
      <dd>
        <Money value={read.buying_power_after} />
      </dd>
      <dt class="total">Fills</dt>
      <dd class="total">{fillText(read)}</dd>
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

export function RefusalNote({
  refusal,
  requestId,
}: {
  readonly refusal: Refusal
  readonly requestId?: string | undefined
}): JSX.Element {
  const { title, sentence, fix, otherOrderId } = refusalText(refusal)
  return (
    <div class="note wrong" role="alert">
      <Icon name="warning" />
      <b>{title}</b>
      <p>{sentence}</p>
      <div class="actions">
        {fix && (
          <button
            type="button"
            class="button small"
            onClick={() => changeTicket({ size: fix.size, unit: 'shares' })}
          >
            {fix.label}
          </button>
        )}
        {otherOrderId !== undefined && (
          <>
            <button type="button" class="button small" onClick={() => void cancelOther(otherOrderId)}>
              Cancel that order
            </button>
            <a class="button small bare" href={hrefOf('orders', otherOrderId)}>
              Show it
            </a>
          </>
        )}
        {requestId !== undefined && (
          <a class="button small bare" href={hrefOf('activity', requestId)}>
            Why?
          </a>
        )}
      </div>
    </div>
  )
}

async function cancelOther(orderId: string): Promise<void> {
  await api.peek()?.quipu.orders.cancel(orderId)
  // The preview follows the change.
  changeTicket({})
}

const LATE_MS = 2500

/** What became of the order that was sent. */
export function SendingText({ now }: { readonly now: number }): JSX.Element | null {
  const state: Sending = sending.value
  if (state.kind === 'sending')
    return now - state.sinceMs < LATE_MS ? null : (
      <div class="note wrong" role="alert">
        <Icon name="warning" />
        <b>No response yet. The order may exist.</b>
        <p>
          We look for client id <code>{state.clientOrderId}</code>, and never send it twice.
        </p>
      </div>
    )
  if (state.kind === 'uncertain')
    return (
      <div class="note wrong" role="alert">
        <Icon name="warning" />
        <b>It is not known whether the order exists</b>
        <p>
          The server did not answer. Look for client id <code>{state.clientOrderId}</code> under Orders before
          you send another one.
        </p>
      </div>
    )
  if (state.kind === 'refused') return <RefusalNote refusal={state.refusal} requestId={state.requestId} />
  if (state.kind !== 'accepted') return null
  const { order } = state
  const size = order.qty == null ? `$${moneyText(order.notional ?? '0')}` : quantityText(order.qty)
  return (
    <div class="note tint" role="status">
      <Icon name="check" />
      <b>
        {order.side === 'buy' ? 'Buy' : 'Sell'} {size} {order.symbol}: accepted
      </b>
      <p>
        <a class="link" href={hrefOf('orders', order.id)}>
          Show the order
        </a>
      </p>
    </div>
  )
}
