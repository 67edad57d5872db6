import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { quantityText } from '../format/amounts.ts'
import { addKeys } from '../keyboard.ts'
import { Card } from '../parts/card.tsx'
import { account } from '../session/selection.ts'
import { isAuditor } from '../session/session.ts'
import { QuoteBox } from './quote-box.tsx'
import { SymbolField } from './symbol-field.tsx'
import './ticket.css'
import { changeTicket, clearTicket, fields, problemOf, startOrder } from './ticket-fields.ts'
import { TicketInputs } from './ticket-inputs.tsx'
import { PreviewText, SendingText } from './ticket-outcome.tsx'
import { followPreview, preview, sending, sendOrder } from './ticket-state.ts'

type TicketProps = { readonly symbol?: string | undefined }

/** The order ticket: every order kind, with its cost and its refusal before it is sent. An auditor has none. */
export const Ticket = (props: TicketProps): JSX.Element | null =>
  isAuditor.value ? null : <OrderTicket {...props} />

function OrderTicket({ symbol }: TicketProps): JSX.Element {
  const now = useSignal(Date.now())
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => followPreview(), [])
  useLayoutEffect(() => {
    if (symbol !== undefined && symbol !== fields.peek().symbol) changeTicket({ symbol })
  }, [symbol])
  useLayoutEffect(() => addKeys(ticketKeys(form)), [])
  const isSending = sending.value.kind === 'sending'
  useEffect(() => {
    if (!isSending) return undefined
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 500)
    return () => clearInterval(timer)
  }, [isSending])
  const ticket = fields.value
  const problem = problemOf(ticket)
  const isRefused = preview.value?.refusal !== undefined
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
          void sendOrder()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') clear()
        }}
        onInput={() => {
          if (sending.peek().kind !== 'sending') sending.value = { kind: 'idle' }
        }}
      >
        <SymbolField />
        <QuoteBox symbol={ticket.symbol} />
        <SideChoice />
        <TicketInputs bad={ticket.size === '' ? undefined : problem?.field} />
        <SendingText now={now.value} />
        {!isSending && sending.value.kind !== 'refused' && <PreviewText />}
        <button
          type="submit"
          class="button main wide big"
          disabled={isSending || problem !== undefined || isRefused}
        >
          {isSending ? 'Sending' : buttonText()}
        </button>
        <p class="faint small center">
          {problem ? (
            problem.message
          ) : (
            <span class="wide-only">
              <kbd>↵</kbd> send &nbsp; <kbd>Esc</kbd> clear
            </span>
          )}
        </p>
      </form>
    </Card>
  )
}

function clear(): void {
  clearTicket()
  sending.value = { kind: 'idle' }
  ;(document.activeElement as HTMLElement | null)?.blur()
}

const ticketKeys = (form: { readonly current: HTMLFormElement | null }) => {
  const begin = (side: 'buy' | 'sell') => () => {
    startOrder({ side })
    form.current?.scrollIntoView({ block: 'nearest' })
  }
  return [
    { key: 'b', does: 'Buy', changes: true, run: begin('buy') },
    { key: 's', does: 'Sell', changes: true, run: begin('sell') },
    { key: 'Escape', does: 'Clear the ticket', run: clear },
  ]
}

function buttonText(): string {
  const { side, size, unit, symbol } = fields.value
  const verb = side === 'buy' ? 'Buy' : 'Sell'
  const amount = /^\d+(\.\d+)?$/.test(size) ? quantityText(size) : ''
  const live = account.value?.flavour === 'live' ? ' with live money' : ''
  return `${verb} ${unit === 'money' ? `$${amount} of ` : `${amount} `}${symbol}${live}`
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
