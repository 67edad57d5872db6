import type { JSX } from 'preact'
import { ChartCard } from '../../chart/chart-card.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { hrefOf, place } from '../../router.ts'
import { account } from '../../session/selection.ts'
import { Ticket } from '../../ticket/ticket.tsx'
import { lastOf, useLive, useSnapshots } from './live-symbol.ts'
import { MarketList } from './market-list.tsx'
import './markets.css'
import { useSymbolEvents } from '../../chart/symbol-events.ts'
import { PositionCard } from './position-card.tsx'
import { SymbolHead, useAsset } from './symbol-head.tsx'
import { TradesCard } from './trades-card.tsx'

/** Prices: a list of symbols, or the chart of one. */
export default function Markets(): JSX.Element {
  const { item } = place.value
  if (!account.value)
    return (
      <Empty icon="candles" title="You have no account in this world">
        Prices are read with an account. An operator can give you one, or you can choose another world.
      </Empty>
    )
  return item === undefined ? <MarketList /> : <SymbolScreen key={item} symbol={item.toUpperCase()} />
}

const channels = ['trades', 'quotes', 'bars', 'updatedBars', 'dailyBars', 'statuses'] as const
const pairChannels = ['trades', 'quotes', 'bars', 'updatedBars', 'dailyBars'] as const

/** One symbol: chart, ticket, position and trades. */
function SymbolScreen({ symbol }: { readonly symbol: string }): JSX.Element {
  const asset = useAsset(symbol)
  useLive(asset ? [symbol] : [], symbol.includes('/') ? pairChannels : channels)
  const read = useSnapshots(asset ? [symbol] : []).value
  const history = useSymbolEvents(symbol)
  const snapshot = read instanceof Error ? undefined : read?.get(symbol)
  if (asset === null)
    return (
      <>
        <h1>{symbol}</h1>
        <Empty
          icon="search"
          title={`This world has no asset ${symbol}`}
          actions={
            <a class="button" href={hrefOf('markets')}>
              All markets
            </a>
          }
        />
      </>
    )
  return (
    <>
      <SymbolHead {...{ symbol, asset, snapshot }} splits={history.splits} />
      {read instanceof Error && <Failed what={`prices of ${symbol}`} error={read} />}
      <div class="cols">
        <ChartCard {...{ symbol, asset, history }} />
        <aside class="stack" aria-label="Order, position and trades">
          <Ticket symbol={symbol} />
          <PositionCard symbol={symbol} last={lastOf(symbol, snapshot)} />
          <TradesCard symbol={symbol} />
        </aside>
      </div>
      <p class="page-foot">
        Charts: TradingView Lightweight Charts™, Copyright (c) TradingView, Inc.{' '}
        <a class="link" href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
          www.tradingview.com
        </a>{' '}
        ·{' '}
        <a class="link" href="notices.txt">
          All notices
        </a>
      </p>
    </>
  )
}
