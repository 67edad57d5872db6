import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Icon } from '../../../parts/icon.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { rowPx, VirtualRows } from '../../../parts/virtual-rows.tsx'
import { isAuditor } from '../../../session/session.ts'
import { chosenSymbol } from '../chosen-symbol.ts'
import { AddSymbol } from './add-symbol.tsx'
import { ListMenu } from './list-menu.tsx'
import { symbolAt } from './row-drag.ts'
import './watchlist.css'
import { WatchRow } from './watch-row.tsx'
import {
  listProblem,
  lists,
  moveSymbol,
  readLists,
  removeSymbol,
  shownList,
  watchedSymbols,
} from './watchlist-state.ts'

type WatchlistProps = {
  /** Only symbols, because the pane is narrow. */
  readonly isSmall?: boolean
  /** Called after a symbol is chosen. */
  readonly chosen?: () => void
}

/** The symbols that the account watches, with their last price and their day. */
export function Watchlist({ isSmall = false, chosen }: WatchlistProps): JSX.Element {
  const [isAdding, setAdding] = useState(false)
  const symbols = watchedSymbols.value
  const isOne = (lists.value?.length ?? 0) < 2
  return (
    <section class={`card watchlist ${isSmall ? 'small-list' : ''}`} aria-label="Watchlist">
      <header>
        <h2 class="cut-text" title={shownList.value?.name}>
          {isSmall ? 'List' : isOne ? 'Watchlist' : (shownList.value?.name ?? 'Watchlist')}
        </h2>
        {!isSmall && (
          <div class="right head-tools">
            <ListMenu />
            <button
              data-changes
              type="button"
              class="icon-button"
              aria-label="Add a symbol"
              aria-expanded={isAdding}
              onClick={() => setAdding(!isAdding)}
            >
              <Icon name="plus" />
            </button>
          </div>
        )}
      </header>
      {isAdding && !isSmall && <AddSymbol close={() => setAdding(false)} />}
      {listProblem.value && symbols === undefined ? (
        <Failed what="the watchlist" error={listProblem.value} retry={() => void readLists()} />
      ) : symbols === undefined ? (
        <Loading rows={8} />
      ) : symbols.length === 0 ? (
        <Empty icon="list" title="The list is empty">
          Add a symbol with the plus.
        </Empty>
      ) : (
        <Rows {...{ symbols, isSmall }} chosen={chosen ?? (() => undefined)} />
      )}
    </section>
  )
}

type RowsProps = {
  readonly symbols: readonly string[]
  readonly isSmall: boolean
  readonly chosen: () => void
}

/** A place that the keyboard moved to. Each move is another object. */
type Cursor = { readonly symbol: string }

/** The rows in view. Arrow keys go to the next row, with Alt they move the row; Delete removes it; a drag moves it. */
function Rows({ symbols, isSmall, chosen }: RowsProps): JSX.Element {
  const region = useRef<HTMLDivElement>(null)
  const [cursor, setCursor] = useState<Cursor | undefined>(undefined)
  const focused = useRef<Cursor>(undefined)
  const goTo = (symbol: string | undefined) => {
    if (symbol !== undefined) setCursor({ symbol })
  }
  const focusCursor = () => {
    if (cursor === undefined || focused.current === cursor) return
    const row = region.current?.querySelector(`[data-symbol="${CSS.escape(cursor.symbol)}"]`)
    if (!row) return
    focused.current = cursor
    row.querySelector('a')?.focus({ preventScroll: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move = moveOf(event, symbols, symbolAt(event.target as Element), cursor?.symbol)
    if (move === undefined) return
    event.preventDefault()
    move.change?.()
    goTo(move.to)
  }
  return (
    <VirtualRows
      items={symbols}
      label="Symbols"
      region={region}
      rowHeight={rowPx.value}
      reveal={cursor && { key: cursor, index: symbols.indexOf(cursor.symbol) }}
      onDrawn={focusCursor}
      onKeyDown={onKeyDown}
      head={
        !isSmall && (
          <tr>
            <th>Symbol</th>
            <th>Today</th>
            <th class="r">Last</th>
            <th class="r">%</th>
          </tr>
        )
      }
      row={(symbol) => (
        <WatchRow key={symbol} {...{ symbol, isSmall, chosen }} isChosen={symbol === chosenSymbol.value} />
      )}
    />
  )
}

type KeyMove = {
  readonly change?: () => void
  /** The row that the focus goes to. */
  readonly to: string | undefined
}

/** What a key does. Without a row that has the focus, the arrows go on where the keyboard was. */
function moveOf(
  { key, altKey }: KeyboardEvent,
  symbols: readonly string[],
  symbol: string | undefined,
  before: string | undefined,
): KeyMove | undefined {
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
  if (step !== 0 && !altKey) {
    const at = symbols.indexOf(symbol ?? before ?? '')
    const next = at < 0 ? symbols.indexOf(chosenSymbol.peek() ?? '') : at + step
    return { to: symbols[Math.min(Math.max(next, 0), symbols.length - 1)] }
  }
  if (symbol === undefined || isAuditor.peek()) return undefined
  if (step !== 0) return { change: () => void moveSymbol(symbol, step), to: symbol }
  const at = symbols.indexOf(symbol)
  return key === 'Delete'
    ? { change: () => void removeSymbol(symbol), to: symbols[at + 1] ?? symbols[at - 1] }
    : undefined
}
