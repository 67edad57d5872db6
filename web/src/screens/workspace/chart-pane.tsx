import type { JSX } from 'preact'
import { ChartCard } from '../../chart/chart-card.tsx'
import { useSymbolEvents } from '../../chart/symbol-events.ts'
import { decimalOfNumber } from '../../format/decimal.ts'
import { shortName } from '../../live/assets.ts'
import { current } from '../../live/current.ts'
import { Price } from '../../parts/amounts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Failed, LoadingNumber } from '../../parts/states.tsx'
import { isNarrow } from '../../session/window.ts'
import { DayChange } from './day-change.tsx'
import { useLastPrice, useLive } from './live-symbol.ts'
import { isListOpen } from './overlays.ts'
import { useAsset } from './use-asset.ts'

const channels = ['quotes', 'bars', 'updatedBars', 'dailyBars', 'statuses'] as const
const pairChannels = ['quotes', 'bars', 'updatedBars', 'dailyBars'] as const

/** The chart of the chosen symbol, with its name and its day. */
export function ChartPane({ symbol }: { readonly symbol: string }): JSX.Element {
  const asset = useAsset(symbol)
  const isKnown = asset !== undefined && asset !== null
  useLive(isKnown ? [symbol] : [], symbol.includes('/') ? pairChannels : channels)
  const read = useLastPrice(isKnown ? symbol : undefined)
  const history = useSymbolEvents(symbol)
  const live = current.value
  const stale = live?.store.orderStream.isStale.value ?? false
  const last = read instanceof Error ? undefined : read
  const before = live?.store.quotes.value.get(symbol)?.previous_close ?? undefined
  const head = (
    <div class="symbol-head">
      <SymbolName symbol={symbol} name={asset ? shortName(asset.name) : ''} />
      <span class="last-price">
        {last === undefined ? (
          <LoadingNumber />
        ) : (
          <Price value={decimalOfNumber(last)} stale={stale} of={`prices.${symbol}.last`} />
        )}
      </span>
      <DayChange {...{ symbol, last, stale }} before={before === undefined ? undefined : Number(before)} />
      {live?.market.state(symbol).halted.value && <span class="chip warn">Halted</span>}
    </div>
  )
  if (asset === null)
    return (
      <section class="card" aria-label={`Chart of ${symbol}`}>
        <div class="chart-bar">
          <div class="symbol-head">
            <SymbolName symbol={symbol} name="" />
          </div>
        </div>
        <Empty icon="search" title={`This world has no asset ${symbol}`}>
          <kbd>/</kbd> finds every symbol that it has.
        </Empty>
      </section>
    )
  return (
    <>
      {read instanceof Error && <Failed what={`prices of ${symbol}`} error={read} />}
      <ChartCard {...{ symbol, asset, history, head }} />
    </>
  )
}

/** The symbol. In a narrow window it opens the watchlist, which has no pane there. */
function SymbolName({ symbol, name }: { readonly symbol: string; readonly name: string }): JSX.Element {
  if (!isNarrow.value)
    return (
      <h2>
        {symbol} <small title={name}>{name}</small>
      </h2>
    )
  return (
    <h2>
      <button
        type="button"
        class="symbol-button"
        aria-expanded={isListOpen.value}
        title="Other symbols"
        onClick={() => {
          isListOpen.value = !isListOpen.value
        }}
      >
        {symbol} <Icon name="down" />
      </button>
    </h2>
  )
}
