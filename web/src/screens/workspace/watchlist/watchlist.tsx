import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../../parts/icon.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { chosenSymbol } from '../chosen-symbol.ts'
import { AddSymbol } from './add-symbol.tsx'
import { ListMenu } from './list-menu.tsx'
import './watchlist.css'
import { WatchRow } from './watch-row.tsx'
import { listProblem, lists, readLists, shownList, watchedSymbols } from './watchlist-state.ts'

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
        <div class="virtual-list" tabIndex={0} role="region" aria-label="Symbols" onKeyDown={moveFocus}>
          <table>
            {!isSmall && (
              <thead>
                <tr>
                  <th>Symbol</th>
                  <th>Today</th>
                  <th class="r">Last</th>
                  <th class="r">%</th>
                </tr>
              </thead>
            )}
            <tbody>
              {symbols.map((symbol) => (
                <WatchRow
                  key={symbol}
                  {...{ symbol, isSmall }}
                  isChosen={symbol === chosenSymbol.value}
                  chosen={chosen ?? (() => undefined)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

/** Arrow keys move between the rows. */
function moveFocus(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.altKey) return
  const region = event.currentTarget as HTMLElement
  const rows = [...region.querySelectorAll<HTMLElement>('[data-symbol]')]
  const focused = (event.target as HTMLElement).closest<HTMLElement>('[data-symbol]')
  const at = focused ? rows.indexOf(focused) + step : rows.findIndex((row) => row.matches('.selected'))
  const next = rows[Math.min(Math.max(at, 0), rows.length - 1)]
  event.preventDefault()
  next?.querySelector<HTMLElement>('a')?.focus()
}
