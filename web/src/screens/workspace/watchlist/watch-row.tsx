import type { JSX } from 'preact'
import { priceText, UNKNOWN } from '../../../format/amounts.ts'
import { decimal, numberOf, percentOf, signOf, subtract } from '../../../format/decimal.ts'
import { namesOf } from '../../../live/assets.ts'
import { current } from '../../../live/current.ts'
import { Gain, Price } from '../../../parts/amounts.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Spark } from '../../../parts/spark.tsx'
import { symbolHref } from '../../../router.ts'
import { api } from '../../../session/selection.ts'
import { isAuditor } from '../../../session/session.ts'
import { chooseSymbol } from '../chosen-symbol.ts'
import { dayCurves } from '../day-curves.ts'
import { moveSymbol, removeSymbol, watchedSymbols } from './watchlist-state.ts'

type WatchRowProps = {
  readonly symbol: string
  readonly isSmall: boolean
  readonly isChosen: boolean
  readonly chosen: () => void
}

/** What the browser calls the row that is dragged. */
const DRAGGED = 'text/x-quipu-symbol'

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }

/** The browser takes the focus from a row that moves or is removed. */
const focusNextFrame = (row: Element | null): void =>
  void requestAnimationFrame(() => row?.querySelector<HTMLElement>('a')?.focus())

/** A symbol with its day. Drag it, or Alt with an arrow key moves it; Delete removes it. */
export function WatchRow({ symbol, isSmall, isChosen, chosen }: WatchRowProps): JSX.Element {
  const choose = () => {
    chooseSymbol(symbol)
    chosen()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isAuditor.peek()) return
    const row = event.currentTarget as HTMLElement
    const step = event.altKey ? (steps[event.key] ?? 0) : 0
    if (step !== 0) {
      void moveSymbol(symbol, step)
      focusNextFrame(row)
    } else if (event.key === 'Delete') {
      focusNextFrame(row.nextElementSibling ?? row.previousElementSibling)
      void removeSymbol(symbol)
    } else return
    event.preventDefault()
  }
  return (
    <tr
      data-symbol={symbol}
      data-href
      class={isChosen ? 'selected' : ''}
      draggable={!isAuditor.value}
      onClick={(event) => {
        // The link has the address for another tab; here the row is chosen in place.
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        choose()
      }}
      onKeyDown={onKeyDown}
      onDragStart={({ dataTransfer }) => dataTransfer?.setData(DRAGGED, symbol)}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault()
      }}
      onDrop={({ dataTransfer }) => {
        const dragged = dataTransfer?.getData(DRAGGED) ?? ''
        const order = watchedSymbols.peek() ?? []
        void moveSymbol(dragged, order.indexOf(symbol) - order.indexOf(dragged))
      }}
    >
      {isSmall ? <SymbolCell {...{ symbol, isChosen }} /> : <Numbers {...{ symbol, isChosen }} />}
    </tr>
  )
}

const SymbolCell = ({
  symbol,
  isChosen,
}: {
  readonly symbol: string
  readonly isChosen: boolean
}): JSX.Element => (
  <td>
    <a
      href={symbolHref(symbol)}
      title={(api.value && namesOf(api.value).value.get(symbol)) ?? ''}
      aria-current={isChosen ? 'true' : undefined}
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
    >
      <b>{symbol}</b>
    </a>
  </td>
)

function Numbers(props: { readonly symbol: string; readonly isChosen: boolean }): JSX.Element {
  const { symbol } = props
  const store = current.value?.store
  const stale = store?.isStale.value ?? false
  const prices = store?.quotes.value.get(symbol)
  const now = prices?.last == null ? undefined : decimal(prices.last)
  const before = prices?.previous_close == null ? undefined : decimal(prices.previous_close)
  const percent = now && before && percentOf(subtract(now, before), before)
  const curve = dayCurves.value.get(symbol) ?? []
  return (
    <>
      <SymbolCell {...props} />
      <td class="curve">
        {curve.length > 0 && now && (
          <Spark
            values={[...curve, numberOf(now)]}
            base={before && numberOf(before)}
            of={`day_and_last.${symbol}`}
          />
        )}
      </td>
      <td class="r">
        <Price value={now} stale={stale} unknown="no trade yet" of={`prices.${symbol}.last`} />
      </td>
      <td class="r change">
        {percent ? (
          <span title={now && before ? `Last close ${priceText(before)}` : ''}>
            <Gain
              value={percent}
              stale={stale}
              class={signOf(percent) === 0 ? 'soft' : ''}
              of={`change_percent.${symbol}`}
            />
          </span>
        ) : (
          <span class="faint">{UNKNOWN}</span>
        )}
        <button
          data-changes
          type="button"
          class="remove"
          aria-label={`Remove ${symbol} from the watchlist`}
          onClick={(event) => {
            event.stopPropagation()
            void removeSymbol(symbol)
          }}
        >
          <Icon name="close" />
        </button>
      </td>
    </>
  )
}
