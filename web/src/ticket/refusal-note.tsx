import type { WireOrder as Order } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { priceOf, sizeOf } from '../format/orders.ts'
import { current } from '../live/current.ts'
import { Icon } from '../parts/icon.tsx'
import { hrefOf } from '../router.ts'
import { api } from '../session/selection.ts'
import { type Refusal, refusalText } from './refusal-text.ts'
import { changeTicket } from './ticket-fields.ts'

/** Why an order is refused, and the change that helps. */
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
      {otherOrderId === undefined ? (
        <p>{sentence}</p>
      ) : (
        <OppositeOrder orderId={otherOrderId} sentence={sentence} />
      )}
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
        {requestId !== undefined && (
          <a class="button small bare" href={hrefOf('activity', requestId)}>
            Why?
          </a>
        )}
      </div>
    </div>
  )
}

/** Names the order on the other side, and cancels it. The preview follows by itself. */
function OppositeOrder({
  orderId,
  sentence,
}: {
  readonly orderId: string
  readonly sentence: string
}): JSX.Element {
  const order = useOrder(orderId)
  const [state, setState] = useState<'open' | 'canceling' | Error>('open')
  const cancel = (): void => {
    setState('canceling')
    api.peek()?.quipu.orders.cancel(orderId).catch(setState)
  }
  const name = order?.client_order_id ?? 'that order'
  return (
    <>
      <p>{order ? oppositeText(order) : sentence}</p>
      <div class="actions">
        <button
          data-changes
          type="button"
          class="button small cut-text"
          disabled={state === 'canceling'}
          onClick={cancel}
        >
          {state === 'canceling' ? 'Canceling' : `Cancel ${name}`}
        </button>
        <a class="button small bare" href={hrefOf('orders', orderId)}>
          Show it
        </a>
      </div>
      {state instanceof Error && <p class="of-wrong">{state.message}</p>}
    </>
  )
}

/** `You sell 50 AAPL at stop 216.44 (guard-aapl). Both could trade with each other.` */
export function oppositeText(order: Order): string {
  const price = priceOf(order)
  const where = price === 'market' ? 'at the market' : `at ${price}`
  return `You ${order.side} ${sizeOf(order)} ${where} (${order.client_order_id}). Both could trade with each other.`
}

/** An open order, or one that the list of open orders does not have. */
function useOrder(orderId: string): Order | undefined {
  const known = current.value?.store.openOrders.value?.get(orderId)
  const [read, setRead] = useState<Order>()
  const connection = api.value
  const isKnown = known !== undefined
  useEffect(() => {
    if (!isKnown)
      connection?.client.getOrder({ params: { order_id: orderId } }).then(setRead, () => undefined)
  }, [connection, orderId, isKnown])
  return known ?? (read?.id === orderId ? read : undefined)
}
