import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { adjusted, type Split } from '../../chart/symbol-events.ts'
import { quantityText, volumeText } from '../../format/amounts.ts'
import { type Decimal, decimalOfNumber, subtract } from '../../format/decimal.ts'
import { type Asset, findAsset, shortName } from '../../live/assets.ts'
import { current } from '../../live/current.ts'
import { Price } from '../../parts/amounts.tsx'
import { LoadingNumber } from '../../parts/states.tsx'
import { api } from '../../session/selection.ts'
import { startOrder } from '../../ticket/ticket-fields.ts'
import { DayChange } from './day-change.tsx'
import { lastOf, type Snapshot } from './live-symbol.ts'

/** The asset of a symbol; null if the world has no such asset. */
export function useAsset(symbol: string): Asset | null | undefined {
  const [asset, setAsset] = useState<Asset | null>()
  const connection = api.value
  useEffect(() => {
    setAsset(undefined)
    if (!connection) return undefined
    const closing = new AbortController()
    findAsset(connection, symbol, closing.signal).then(
      (found) => !closing.signal.aborted && setAsset(found),
      () => undefined,
    )
    return () => closing.abort()
  }, [connection, symbol])
  return asset
}

type HeadProps = {
  readonly symbol: string
  readonly asset: Asset | null | undefined
  readonly snapshot: Snapshot | undefined
  readonly splits: readonly Split[]
}

/** The symbol with its price, its quote and its day. */
export function SymbolHead({ symbol, asset, snapshot, splits }: HeadProps): JSX.Element {
  const live = current.value
  const stale = live?.store.orderStream.isStale.value ?? false
  const last = lastOf(symbol, snapshot)
  const day = snapshot?.prevDailyBar
  const isHalted = live?.market.state(symbol).halted.value
  return (
    <div class="symbol-head">
      <h1>
        {symbol}
        <small>{asset ? `${shortName(asset.name)} · ${asset.exchange}` : ' '}</small>
      </h1>
      <div class="last-price">
        {last === undefined ? (
          <LoadingNumber />
        ) : (
          <Price value={decimalOfNumber(last)} stale={stale} of={`prices.${symbol}.last`} />
        )}
      </div>
      <DayChange last={last} before={day && adjusted(splits, Date.parse(day.t), day.c)} stale={stale} />
      {isHalted && <span class="chip warn">Halted</span>}
      <Quote symbol={symbol} snapshot={snapshot} stale={stale} />
      <Day snapshot={snapshot} last={last} />
      <div class="right head-actions wide-only">
        <button
          data-changes
          type="button"
          class="button main"
          onClick={() => startOrder({ symbol, side: 'buy' })}
        >
          Buy <kbd>b</kbd>
        </button>
        <button
          data-changes
          type="button"
          class="button"
          onClick={() => startOrder({ symbol, side: 'sell' })}
        >
          Sell <kbd>s</kbd>
        </button>
      </div>
    </div>
  )
}

type QuoteProps = {
  readonly symbol: string
  readonly snapshot: Snapshot | undefined
  readonly stale: boolean
}

function Quote({ symbol, snapshot, stale }: QuoteProps): JSX.Element {
  const quote = current.value?.market.state(symbol).quote.value ?? snapshot?.latestQuote
  const [bid, ask] = [priceOf(quote?.bp), priceOf(quote?.ap)]
  return (
    <div class="facts wide-only">
      <div>
        <span>Bid{quote ? ` · ${quantityText(decimalOfNumber(quote.bs))}` : ''}</span>
        <Price value={bid} stale={stale} unknown="no bid" of={`prices.${symbol}.bid`} />
      </div>
      <div>
        <span>Ask{quote ? ` · ${quantityText(decimalOfNumber(quote.as))}` : ''}</span>
        <Price value={ask} stale={stale} unknown="no ask" of={`prices.${symbol}.ask`} />
      </div>
      <div>
        <span>Spread</span>
        <Price value={bid && ask && subtract(ask, bid)} stale={stale} unknown="needs a bid and an ask" />
      </div>
    </div>
  )
}

/** 0 means that nobody quotes. */
const priceOf = (price: number | undefined): Decimal | undefined =>
  price ? decimalOfNumber(price) : undefined

function Day({
  snapshot,
  last,
}: {
  readonly snapshot: Snapshot | undefined
  readonly last: number | undefined
}): JSX.Element | null {
  const day = snapshot?.dailyBar
  if (!day || last === undefined) return null
  const [low, high] = [Math.min(day.l, last), Math.max(day.h, last)]
  const part = high > low ? ((last - low) / (high - low)) * 100 : 50
  return (
    <>
      <div class="day-range wide-only">
        <span>Day range</span>
        <div class="track">
          <i style={{ left: `${part}%` }} />
        </div>
        <div>
          <Price value={decimalOfNumber(low)} />
          <Price value={decimalOfNumber(high)} />
        </div>
      </div>
      <div class="facts wide-only">
        <div>
          <span>Volume</span>
          <span class="n">{volumeText(day.v)}</span>
        </div>
        <div>
          <span>VWAP</span>
          <Price value={decimalOfNumber(Number(day.vw.toFixed(2)))} />
        </div>
      </div>
    </>
  )
}
