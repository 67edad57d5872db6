import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { gainText, moneyText, percentText, priceText, quantityText, UNKNOWN } from '../format/amounts.ts'
import {
  type Decimal,
  decimal,
  decimalOfNumber,
  negate,
  numberOf,
  percentOf,
  signOf,
} from '../format/decimal.ts'
import { durationText, nearText } from '../format/times.ts'
import { nowMs } from '../live/clock.ts'
import { current } from '../live/current.ts'
import { spanOf } from '../live/market-events.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { world } from '../session/selection.ts'
import { Story } from '../story/story.tsx'
import {
  drawdownOf,
  type Exposure,
  eventReactionsOf,
  exposureOf,
  fillRateOf,
  reactionsOf,
  type Slippage,
  totalOf,
  valueAt,
} from './risk-figures.ts'
import { followTrading, ROWS_MAX, readAgain, type Trading, trading, tradingProblem } from './risk-state.ts'
import './risk.css'

/** Exposure, drawdown, slippage, fill rate and reaction time of the chosen account. */
export function RiskPanel(): JSX.Element {
  const store = current.value?.store
  useEffect(() => store?.stream.wantCurve('1D'), [store])
  useEffect(() => followTrading(), [])
  const [positions, account, curve] = [store?.positions.value, store?.account.value, store?.curve.value]
  if (!store || !positions || !account) return <Loading rows={6} />
  const exposure = exposureOf(positions)
  const equity = decimal(account.equity ?? '0')
  const drawdown = curve && drawdownOf([...curve.equity.filter((value) => value > 0), numberOf(equity)])
  const known = trading.value
  return (
    <div class="risk">
      <div class="stats">
        <Figure label="Gross exposure" of="risk.gross" about={shareText(exposure.gross, equity)}>
          {moneyText(exposure.gross)}
        </Figure>
        <Figure label="Net exposure" of="risk.net" about={shareText(exposure.net, equity)}>
          {moneyText(exposure.net)}
        </Figure>
        <Figure
          label="Drawdown today"
          of="risk.drawdown"
          about={drawdown ? `deepest ${percentText(decimalOfNumber(drawdown.deepest))}` : ''}
        >
          {drawdown ? percentText(decimalOfNumber(drawdown.now)) : UNKNOWN}
        </Figure>
        {known && <TradingFigures known={known} />}
        {known && <EventReactions known={known} sinceMs={Date.parse(account.created_at ?? '')} />}
      </div>
      {tradingProblem.value && (
        <Failed what="fills and requests" error={tradingProblem.value} retry={readAgain} />
      )}
      <div class="risk-parts">
        <BySymbol exposure={exposure} />
        {known ? <Slippages all={known.slippages} /> : <Loading rows={4} />}
      </div>
    </div>
  )
}

/** `12.40 % of equity` */
function shareText(value: Decimal, equity: Decimal): string {
  const percent = percentOf(value, equity)
  return percent === undefined ? '' : `${percentText(percent).replace('+', '')} of equity`
}

function Figure({
  label,
  of,
  about,
  children,
}: {
  readonly label: string
  /** The name of the number, and with `.about` that of the first one below it. */
  readonly of?: string
  readonly about: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div>
      <p class="soft small">{label}</p>
      <b class="n" data-number={of}>
        {children}
      </b>
      <p class="faint small" data-number={of && `${of}_about`}>
        {about}
      </p>
    </div>
  )
}

const msText = (ms: number | undefined): string => (ms === undefined ? UNKNOWN : `${ms.toFixed(1)} ms`)

function TradingFigures({
  known: { slippages, orders, requests },
}: {
  readonly known: Trading
}): JSX.Element {
  const total = totalOf(slippages.map(({ amount }) => amount))
  const turnover = totalOf(slippages.map(({ cash }) => cash))
  const points = (numberOf(total) / numberOf(turnover)) * 10_000
  const rate = fillRateOf(orders)
  const filled = percentOf(rate.filled, rate.wanted)
  const reactions = reactionsOf(requests)
  return (
    <>
      <Figure
        label="Slippage"
        of="risk.slippage"
        about={slippages.length === 0 ? 'no fill' : `${gainText(points.toFixed(2))} basis points of turnover`}
      >
        {slippages.length === 0 ? UNKNOWN : gainText(total)}
      </Figure>
      <Figure
        label="Fill rate"
        of="risk.fill_rate"
        about={`${rate.full} of ${rate.count} ended orders filled`}
      >
        {filled === undefined ? UNKNOWN : percentText(filled).replace('+', '')}
      </Figure>
      <Figure label="Bot reacts within" about={`95 % within ${msText(valueAt(reactions, 0.95))}`}>
        {msText(valueAt(reactions, 0.5))}
      </Figure>
    </>
  )
}

/** The time of the world from the start of a market event to the next order of a program. */
function EventReactions({
  known: { accepted, sources },
  sinceMs,
}: {
  readonly known: Trading
  /** When the account was opened. */
  readonly sinceMs: number
}): JSX.Element {
  // A full list may lack orders before its first one.
  const first = accepted.length < ROWS_MAX ? undefined : accepted[0]
  const firstMs = Math.max(sinceMs, first ? Date.parse(first.at) : sinceMs)
  const starts = (world.value?.market_events ?? []).flatMap((event) => spanOf(event)?.fromMs ?? [])
  const times = eventReactionsOf(
    starts.filter((startMs) => startMs >= firstMs),
    accepted,
    sources,
  )
  const worst = times.at(-1)
  const count = times.length === 1 ? '1 event' : `${times.length} events`
  return (
    <Figure
      label="Market event to order"
      about={
        worst === undefined ? 'no order of a program after one' : `worst ${durationText(worst)}, ${count}`
      }
    >
      {worst === undefined ? UNKNOWN : durationText(valueAt(times, 0.5) ?? worst)}
    </Figure>
  )
}

function BySymbol({ exposure: { bySymbol } }: { readonly exposure: Exposure }): JSX.Element {
  if (bySymbol.length === 0)
    return (
      <Empty icon="scale" title="No position">
        Exposure is the market value of positions.
      </Empty>
    )
  const widest = Math.max(...bySymbol.map(({ value }) => Math.abs(numberOf(value))), 1)
  return (
    <section aria-labelledby="exposure-title">
      <h2 id="exposure-title">Exposure by symbol</h2>
      <ul class="exposures">
        {bySymbol.map(({ symbol, value }) => (
          <li key={symbol}>
            <b>{symbol}</b>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect
                class={signOf(value) < 0 ? 'short' : ''}
                width={(Math.abs(numberOf(value)) / widest) * 100}
                height={8}
              />
            </svg>
            <span class="faint small">{signOf(value) < 0 ? 'short' : 'long'}</span>
            <span class="n r" data-number={`exposure.${symbol}`}>
              {moneyText(signOf(value) < 0 ? negate(value) : value)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const SHOWN_MAX = 12

function Slippages({ all }: { readonly all: readonly Slippage[] }): JSX.Element {
  if (all.length === 0)
    return (
      <Empty icon="list" title="No fill">
        Each fill is compared with the middle of its quote.
      </Empty>
    )
  return (
    <section aria-labelledby="slippage-title">
      <h2 id="slippage-title">Slippage of the latest fills</h2>
      <ul class="slippages">
        {all
          .slice(-SHOWN_MAX)
          .toReversed()
          .map(({ orderId, symbol, fill, amount }, index) => (
            <li key={`${orderId} ${all.length - index}`}>
              <b>{symbol}</b>
              <span class="soft cut-text">
                {fill.isBuy ? 'bought' : 'sold'} {quantityText(fill.quantity)} at {priceText(fill.price)}
              </span>
              <time class="mono faint">{nearText(fill.at, nowMs.value ?? Date.now())}</time>
              <span class="n r" data-number={`slippage.${all.length - 1 - index}`}>
                <Story subject={{ order: orderId }}>{gainText(amount)}</Story>
              </span>
            </li>
          ))}
      </ul>
      <p class="faint small">
        Fill minus the middle of the quote at that instant, times quantity. Plus is a gain.
      </p>
    </section>
  )
}
