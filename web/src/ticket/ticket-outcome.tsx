import { isFinal, type WireOrder as Order } from '@quipu/sdk'
import type { ComponentChildren, JSX } from 'preact'
import { priceText, quantityText } from '../format/amounts.ts'
import { decimal, subtract } from '../format/decimal.ts'
import { priceOf, sizeOf, statusOf } from '../format/orders.ts'
import { problemText } from '../format/problem-text.ts'
import { durationText, milliText } from '../format/times.ts'
import { clock } from '../live/clock.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { toast } from '../parts/toasts.tsx'
import { hrefOf } from '../router.ts'
import { api } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'
import { advance } from '../shell/clock-actions.ts'
import { RefusalNote } from './refusal-note.tsx'
import { type Sending, sending } from './ticket-state.ts'

/** After this time the page says that there is no response yet. */
const LATE_MS = 2500

/** What became of the order that was sent: always in this place, until the next one. */
export function SendingText({ now }: { readonly now: number }): JSX.Element | null {
  const state: Sending = sending.value
  switch (state.kind) {
    case 'idle':
      return null
    case 'sending':
      return <SendingNote state={state} isLate={now - state.sinceMs >= LATE_MS} />
    case 'placed':
      return <PlacedNote order={state.order} wasLost={state.wasLost} />
    case 'refused':
      return <RefusalNote refusal={state.refusal} requestId={state.requestId} />
    case 'uncertain':
      return (
        <Note kind="wrong" icon="warning" title="It is not known whether the order exists">
          The server did not answer. We look for client id <code>{state.clientOrderId}</code> as soon as it
          does, and never send the order twice.
        </Note>
      )
    case 'missing':
      return (
        <Note kind="wrong" icon="warning" title="The order did not arrive">
          The server has no order with client id <code>{state.clientOrderId}</code>. Nothing was bought or
          sold.
        </Note>
      )
  }
}

type NoteProps = {
  readonly kind: '' | 'tint' | 'wrong'
  readonly icon: IconName
  readonly title: string
  /** The time of the event, at the right. */
  readonly time?: string | undefined
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

const Note = ({ kind, icon, title, time, actions, children }: NoteProps): JSX.Element => (
  <div class={`note ${kind}`} role={kind === 'wrong' ? 'alert' : 'status'}>
    <Icon name={icon} />
    <div class="outcome">
      <b>{title}</b>
      {time !== undefined && <time class="mono faint small">{time}</time>}
    </div>
    <p>{children}</p>
    {actions && <div class="actions">{actions}</div>}
  </div>
)

const SendingNote = ({
  state,
  isLate,
}: {
  readonly state: Extract<Sending, { kind: 'sending' }>
  readonly isLate: boolean
}): JSX.Element =>
  isLate ? (
    <Note kind="wrong" icon="warning" title="No response yet. The order may exist.">
      We look for client id <code>{state.clientOrderId}</code>, and never send it twice.
    </Note>
  ) : (
    <Note kind="" icon="clock" title="Sending">
      {state.what}. Client id <code>{state.clientOrderId}</code>.
    </Note>
  )

/** The order as it is now. */
function PlacedNote({ order, wasLost }: { readonly order: Order; readonly wasLost: boolean }): JSX.Element {
  const { title, sentence, kind, icon } = placedText(order)
  const isFilled = order.status === 'filled'
  const lost = wasLost ? ' The response was lost; the order was found by its client id, and sent once.' : ''
  return (
    <Note
      kind={kind}
      icon={icon}
      title={title}
      time={order.filled_at === null ? undefined : milliText(order.filled_at)}
      actions={isFinal(order) ? undefined : <WaitingActions order={order} />}
    >
      {sentence}
      {lost}{' '}
      <a class="link" href={hrefOf('orders', order.id)}>
        {isFilled ? 'Why this price?' : 'Show the order'}
      </a>
    </Note>
  )
}

type PlacedText = Pick<NoteProps, 'kind' | 'icon' | 'title'> & { readonly sentence: string }

/** `Filled 25 at 219.57`, and what else there is to say. */
export function placedText(order: Order): PlacedText {
  const { status, filled_qty: filled, filled_avg_price: price } = order
  const hasFills = Number(filled) > 0 && price !== null
  const filledText = hasFills ? `${quantityText(filled)} at ${priceText(price)}` : ''
  const what = whatText(order)
  if (status === 'filled')
    return {
      kind: 'tint',
      icon: 'check',
      title: `Filled ${filledText}`,
      sentence: `${what}. ${delayText(order)}.`,
    }
  if (status === 'rejected')
    return { kind: 'wrong', icon: 'warning', title: 'Rejected by the market', sentence: `${what}.` }
  if (isFinal(order)) {
    const { word } = statusOf(order)
    const title = hasFills
      ? `Filled ${filledText}, the rest ${word.toLowerCase()}`
      : `${word}, nothing filled`
    return { kind: '', icon: 'close', title, sentence: `${what}.` }
  }
  if (!hasFills)
    return {
      kind: 'tint',
      icon: 'clock',
      title: 'Accepted, waits for the market',
      sentence: `${what}. ${whyWaiting()}`,
    }
  if (order.qty === null)
    return {
      kind: 'tint',
      icon: 'check',
      title: `Filled ${filledText}`,
      sentence: `${what}. The rest is still working.`,
    }
  const rest = quantityText(subtract(decimal(order.qty), decimal(filled)))
  return {
    kind: 'tint',
    icon: 'check',
    title: `Filled ${quantityText(filled)} of ${quantityText(order.qty)} at ${priceText(price)}`,
    sentence: `${what}. ${rest} ${rest === '1' ? 'is' : 'are'} still working.`,
  }
}

/** `Sell 25 AAPL, market` */
export const whatText = (order: Order): string =>
  `${order.side === 'buy' ? 'Buy' : 'Sell'} ${sizeOf(order)}, ${priceOf(order)}`

/** `40 ms after it was sent` */
function delayText({ submitted_at: sent, filled_at: filled }: Order): string {
  const ms = filled === null ? 0 : Date.parse(filled) - Date.parse(sent)
  return ms <= 0 ? 'At the instant it was sent' : `${durationText(ms)} after it was sent`
}

const isPaused = (): boolean =>
  clock.value?.isVirtual === true && clock.value.speed === 0 && clock.value.advance === undefined

function whyWaiting(): string {
  if (isPaused()) return 'The clock is paused: nothing fills until time passes.'
  return clock.value?.isOpen === false ? 'The market is closed.' : ''
}

/** Lets time pass in a paused world, and cancels what is not filled. */
function WaitingActions({ order }: { readonly order: Order }): JSX.Element {
  const cancel = (): void => {
    api
      .peek()
      ?.quipu.orders.cancel(order.id)
      .catch((error: Error) => toast(problemText(error)))
  }
  return (
    <>
      {isPaused() && isOperator.value && (
        <button data-changes type="button" class="button small" onClick={() => void advance({ by: '1s' })}>
          Play 1 s
        </button>
      )}
      {order.status !== 'pending_cancel' && (
        <button data-changes type="button" class="button small" onClick={cancel}>
          {Number(order.filled_qty) > 0 ? 'Cancel the rest' : 'Cancel it'}
        </button>
      )}
    </>
  )
}
