import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { priceText, quantityText } from '../format/amounts.ts'
import { addKeys } from '../keyboard.ts'
import { current, isStale } from '../live/current.ts'
import { Card } from '../parts/card.tsx'
import { account } from '../session/selection.ts'
import { isAuditor } from '../session/session.ts'
import { followPlaced } from './placed-order.ts'
import { QuoteBox } from './quote-box.tsx'
import { SymbolField } from './symbol-field.tsx'
import './ticket.css'
import { changeTicket, clearTicket, fields, needsPrice, startOrder } from './ticket-fields.ts'
import { TicketInputs } from './ticket-inputs.tsx'
import { SendingText } from './ticket-outcome.tsx'
import { PreviewText } from './ticket-preview.tsx'
import { ticketOrder, ticketProblem } from './ticket-size.ts'
import { followPreview, preview, sending, sendOrder, setSending } from './ticket-state.ts'

type TicketProps = { readonly symbol?: string | undefined }

/** The order ticket: every order kind, with its cost and its refusal before it is sent. An auditor has none. */
export const Ticket = (props: TicketProps): JSX.Element | null =>
  isAuditor.value ? null : <OrderTicket {...props} />

function OrderTicket({ symbol }: TicketProps): JSX.Element {
  const now = useSignal(Date.now())
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => followPreview(), [])
  useEffect(() => followPlaced(), [])
  useLayoutEffect(() => {
    if (symbol !== undefined && symbol !== fields.peek().symbol) changeTicket({ symbol })
  }, [symbol])
  useLayoutEffect(() => addKeys('Ticket', ticketKeys(form)), [])
  const isSending = sending.value.kind === 'sending'
  useEffect(() => {
    if (!isSending) return undefined
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 500)
    return () => clearInterval(timer)
  }, [isSending])
  const stale = isStale()
  return (
    <Card
      title="Order"
      beside={
        <span class="right faint wide-only">
          <kbd>b</kbd> buy <kbd>s</kbd> sell
        </span>
      }
    >
      <form
        ref={form}
        class="body ticket"
        aria-label="Order ticket"
        onSubmit={(event) => {
          event.preventDefault()
          if (!stale) void sendOrder(orderText())
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') clear()
        }}
        onInput={() => {
          // A refusal is about the fields as they were.
          if (sending.peek().kind === 'refused') setSending({ kind: 'idle' })
        }}
      >
        <SymbolField />
        <QuoteBox symbol={fields.value.symbol} />
        <SideChoice />
        <TicketInputs bad={fields.value.size === '' ? undefined : ticketProblem.value?.field} />
        {!isSending && sending.value.kind !== 'refused' && <PreviewText stale={stale} />}
        <SendButton isSending={isSending} stale={stale} />
        <SendingText now={now.value} />
      </form>
    </Card>
  )
}

/** The button, and below it why it is off. */
function SendButton({
  isSending,
  stale,
}: {
  readonly isSending: boolean
  readonly stale: boolean
}): JSX.Element {
  const problem = ticketProblem.value
  const isRefused = preview.value?.refusal !== undefined
  const isSell = fields.value.side === 'sell'
  return (
    <>
      <button
        type="submit"
        class={`button wide big ${isSell ? 'sell' : 'main'}`}
        disabled={isSending || stale || problem !== undefined || isRefused}
      >
        {isSending ? 'Sending' : orderText()}
        {!isSending && <kbd class="wide-only">↵</kbd>}
      </button>
      {(problem || stale) && (
        <p class="faint small center">
          {problem?.message ??
            (current.value?.store.asOf.value
              ? 'The numbers are not current, so nothing is sent.'
              : 'You can send when the numbers are read.')}
        </p>
      )}
    </>
  )
}

function clear(): void {
  clearTicket()
  setSending({ kind: 'idle' })
  ;(document.activeElement as HTMLElement | null)?.blur()
}

const ticketKeys = (form: { readonly current: HTMLFormElement | null }) => {
  const begin = (side: 'buy' | 'sell') => () => {
    startOrder({ side })
    form.current?.scrollIntoView({ block: 'nearest' })
  }
  return { b: begin('buy'), s: begin('sell'), Escape: clear }
}

/** `Sell 40 AAPL at 220.60` */
function orderText(): string {
  const ticket = ticketOrder.value
  const { side, size, unit, symbol, limitPrice } = ticket
  const verb = side === 'buy' ? 'Buy' : 'Sell'
  const isNumber = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)
  const amount = isNumber(size) ? quantityText(size) : ''
  const isLimit = needsPrice(ticket, 'limit_price') && isNumber(limitPrice)
  const price = isLimit ? ` at ${priceText(limitPrice)}` : ''
  const live = account.value?.flavour === 'live' ? ' with live money' : ''
  return `${verb} ${unit === 'money' ? `$${amount} of ` : `${amount} `}${symbol}${price}${live}`
}

const SideChoice = (): JSX.Element => (
  <fieldset class="choice fill" aria-label="Side">
    {(['buy', 'sell'] as const).map((side) => (
      <button
        key={side}
        type="button"
        class={side}
        aria-pressed={fields.value.side === side}
        onClick={() => changeTicket({ side })}
      >
        {side === 'buy' ? 'Buy' : 'Sell'}
      </button>
    ))}
  </fieldset>
)
