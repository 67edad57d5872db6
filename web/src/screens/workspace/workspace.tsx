import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Empty } from '../../parts/states.tsx'
import { account, isAccountMissing } from '../../session/selection.ts'
import { isAuditor } from '../../session/session.ts'
import { isNarrow, isPhone } from '../../session/window.ts'
import { startOrder } from '../../ticket/ticket-fields.ts'
import { FirstCard } from '../first/first-card.tsx'
import { Blotter } from './blotter/blotter.tsx'
import { chosenSymbol, followFirstSymbol } from './chosen-symbol.ts'
import { useDayCurves } from './day-curves.ts'
import { Grip } from './grip.tsx'
import { area, isHidden, SYMBOLS_ONLY_PX, sizes } from './layout.ts'
import { LazyChart } from './lazy-chart.tsx'
import { useLive } from './live-symbol.ts'
import { livePositions } from './live-values.ts'
import { LoadingPanes } from './loading-panes.tsx'
import { isListOpen } from './overlays.ts'
import { Summary } from './summary.tsx'
import { TicketPane } from './ticket-pane.tsx'
import { Watchlist } from './watchlist/watchlist.tsx'
import { useWatchlists, watchedSymbols } from './watchlist/watchlist-state.ts'
import './workspace.css'

/** Chart, watchlist, ticket and blotter of the account on one screen. */
export default function Workspace(): JSX.Element {
  if (isAccountMissing.value)
    return (
      <>
        <h1 class="hidden-text">Workspace</h1>
        <Empty icon="workspace" title="You have no account in this world">
          Prices are read with an account. An operator can give you one, or you can choose another world.
        </Empty>
      </>
    )
  return account.value ? <Panes /> : <LoadingPanes />
}

function Panes(): JSX.Element {
  useEffect(() => followFirstSymbol(), [])
  const grid = useRef<HTMLDivElement>(null)
  useArea(grid)
  const symbol = chosenSymbol.value
  const { watchlist, ticket, blotter } = sizes.value
  const isWide = !isNarrow.value
  const classes = [
    'workspace',
    isWide && isHidden('watchlist') && 'no-watchlist',
    (!isWide || isHidden('ticket')) && 'no-ticket',
    isHidden('blotter') && 'no-blotter',
  ]
  return (
    <>
      <h1 class="hidden-text">Workspace</h1>
      <Followed />
      <FirstCard />
      <div
        ref={grid}
        class={classes.filter(Boolean).join(' ')}
        style={{ '--watchlist': `${watchlist}px`, '--ticket': `${ticket}px`, '--blotter': `${blotter}px` }}
      >
        <Summary />
        {!isWide && !isAuditor.value && <TradeButtons />}
        {isWide && !isHidden('watchlist') && (
          <>
            <Watchlist isSmall={watchlist < SYMBOLS_ONLY_PX} />
            <Grip pane="watchlist" isBefore />
          </>
        )}
        {!isWide && isListOpen.value && <ListOverlay />}
        <div class="chart-pane">
          <LazyChart symbol={symbol} />
        </div>
        {!isHidden('blotter') && (
          <>
            {!isPhone.value && <Grip pane="blotter" isBefore={false} />}
            <Blotter />
          </>
        )}
        {(!isWide || !isHidden('ticket')) && (
          <>
            {isWide && <Grip pane="ticket" isBefore={false} />}
            <TicketPane symbol={symbol} />
          </>
        )}
      </div>
    </>
  )
}

/** Follows the symbols that the panes show. It draws nothing: the clock and each price would draw all panes again. */
function Followed(): null {
  useWatchlists()
  useLive(watchedSymbols.value ?? NO_SYMBOLS, ['quotes'])
  useDayCurves([...new Set([...(watchedSymbols.value ?? []), ...heldSymbols()])])
  return null
}

const NO_SYMBOLS: readonly string[] = []

const heldSymbols = (): readonly string[] =>
  (livePositions.value ?? [])
    .map(({ position }) => position.symbol)
    .filter((symbol) => !symbol.includes('USD'))

/** Measures the space of the panes. */
function useArea(grid: { readonly current: HTMLDivElement | null }): void {
  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return
      const { width, height } = entry.contentRect
      area.value = { width, height }
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
}

const TradeButtons = (): JSX.Element => (
  <div class="trade-buttons">
    <button data-changes type="button" class="button main" onClick={() => startOrder({ side: 'buy' })}>
      Buy
    </button>
    <button data-changes type="button" class="button" onClick={() => startOrder({ side: 'sell' })}>
      Sell
    </button>
  </div>
)

/** The watchlist over the chart, in a window without space for its pane. */
function ListOverlay(): JSX.Element {
  const close = () => {
    isListOpen.value = false
  }
  const whole = useRef<HTMLDivElement>(null)
  useEffect(() => {
    whole.current?.querySelector<HTMLElement>('tr.selected a, a, button')?.focus()
    const closeBeside = ({ target }: Event) => {
      if (
        !whole.current?.contains(target as Node) &&
        !(target as Element).closest('.symbol-button, .popover')
      )
        close()
    }
    addEventListener('pointerdown', closeBeside)
    return () => removeEventListener('pointerdown', closeBeside)
  }, [])
  return (
    <div
      ref={whole}
      class="list-overlay"
      onKeyDown={({ key }) => {
        if (key === 'Escape') close()
      }}
    >
      <Watchlist chosen={close} />
    </div>
  )
}
