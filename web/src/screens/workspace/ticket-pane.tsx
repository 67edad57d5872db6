import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { clock } from '../../live/clock.ts'
import { Icon } from '../../parts/icon.tsx'
import { isNarrow } from '../../session/window.ts'
import { Ticket } from '../../ticket/ticket.tsx'
import {
  changeTicket,
  fields,
  isFocusRequested,
  startOrder,
  typedSymbol,
} from '../../ticket/ticket-fields.ts'
import { namedSymbol } from './chosen-symbol.ts'
import { isTicketOpen, isTicketShown } from './overlays.ts'
import { PositionCard } from './position-card.tsx'
import { TradesCard } from './trades-card.tsx'

/** The ticket, and what the account holds of the symbol. In a narrow window it is a drawer. */
export function TicketPane({ symbol }: { readonly symbol: string | undefined }): JSX.Element | null {
  const pane = useRef<HTMLElement>(null)
  useDrawer(pane)
  useEffect(() => {
    // The first symbol of the account never replaces what the viewer types meanwhile.
    const isEmpty = fields.peek().symbol === '' && typedSymbol.peek() === undefined
    if (symbol !== undefined && isEmpty) changeTicket({ symbol })
  }, [symbol])
  if (!isTicketShown.value) return null
  const isPaused = clock.value?.isVirtual && clock.value.speed === 0 && !clock.value.advance
  const isDrawer = isNarrow.value
  return (
    <>
      {isDrawer && <button type="button" class="drawer-veil" aria-label="Close the ticket" onClick={close} />}
      <aside
        ref={pane}
        class={`ticket-pane ${isDrawer ? 'drawer' : ''}`}
        aria-label="Order"
        onKeyDown={({ key, target }) => {
          if (key === 'Escape' && isDrawer && !(target as HTMLElement).matches('[aria-expanded="true"]'))
            close()
        }}
      >
        {isDrawer && (
          <button type="button" class="icon-button drawer-close" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        )}
        <div class="ticket-scroll" tabIndex={-1}>
          <Ticket symbol={namedSymbol.value} />
          {isPaused && (
            <p class="paused-note faint small">
              The clock is paused: nothing moves until you press play. <kbd>Space</kbd>
            </p>
          )}
          {symbol !== undefined && (
            <>
              <PositionCard symbol={symbol} />
              <TradesCard key={symbol} symbol={symbol} />
            </>
          )}
        </div>
      </aside>
    </>
  )
}

function close(): void {
  isTicketOpen.value = false
}

/** Opens the drawer when an order is begun, by `b`, `s` or a button. */
function useDrawer(pane: { readonly current: HTMLElement | null }): void {
  const wanted = isFocusRequested.value
  useLayoutEffect(() => {
    if (wanted && isNarrow.peek()) isTicketOpen.value = true
  }, [wanted])
  const isOff = !isTicketShown.value
  useLayoutEffect(() => {
    if (!isOff) return undefined
    const begin = (side: 'buy' | 'sell') => () => startOrder({ side })
    return addKeys('Ticket', { b: begin('buy'), s: begin('sell') })
  }, [isOff])
  const isDrawer = isNarrow.value && isTicketOpen.value
  useEffect(() => {
    if (!isDrawer) return undefined
    const opener = document.activeElement as HTMLElement | null
    if (!pane.current?.contains(opener)) pane.current?.querySelector<HTMLElement>('input')?.focus()
    return () => opener?.focus()
  }, [isDrawer])
}
