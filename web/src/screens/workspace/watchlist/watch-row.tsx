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
import { chooseSymbol } from '../chosen-symbol.ts'
import { dayCurves } from '../day-curves.ts'
import { dragClass, startDrag } from './row-drag.ts'
import { removeSymbol } from './watchlist-state.ts'

type WatchRowProps = {
  readonly symbol: string
  readonly isSmall: boolean
  readonly isChosen: boolean
  readonly chosen: () => void
}

/** A symbol with its day. */
export function WatchRow({ symbol, isSmall, isChosen, chosen }: WatchRowProps): JSX.Element {
  return (
    <tr
      data-symbol={symbol}
      data-href
      class={`${isChosen ? 'selected' : ''} ${dragClass(symbol)}`}
      onClick={(event) => {
        // The link has the address for another tab; here the row is chosen in place.
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        chooseSymbol(symbol)
        chosen()
      }}
      onPointerDown={startDrag}
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
      draggable={false}
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
