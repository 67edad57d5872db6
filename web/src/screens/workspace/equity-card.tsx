import type { JSX } from 'preact'
import { moneyText, percentText } from '../../format/amounts.ts'
import { type Decimal, decimal, numberOf, percentOf, signOf, subtract } from '../../format/decimal.ts'
import { dayKey, dayText, minuteText } from '../../format/times.ts'
import { clock } from '../../live/clock.ts'
import { current } from '../../live/current.ts'
import { worldEvents } from '../../live/market-events.ts'
import { Gain, Money } from '../../parts/amounts.tsx'
import type { Point } from '../../parts/chart-frame.ts'
import { LineChart } from '../../parts/line-chart.tsx'
import { Failed, LoadingNumber } from '../../parts/states.tsx'
import { hrefOf } from '../../router.ts'
import { history, type Range, range, ranges, useHistory } from './equity-history.ts'
import { liveEquity, livePositions } from './live-values.ts'

/** Equity now, its change today, and its curve. */
export function EquityCard(): JSX.Element {
  useHistory()
  const account = current.value?.store.account.value
  const problem = current.value?.store.problem.value
  const stale = current.value?.store.isStale.value ?? false
  return (
    <section class="card" aria-labelledby="equity-title">
      <div class="equity-head">
        <div>
          <h2 class="small" id="equity-title">
            Equity
          </h2>
          <Headline value={liveEquity.value} stale={stale} />
        </div>
        <Today />
        <fieldset class="choice right" aria-label="Range">
          {(Object.keys(ranges) as Range[]).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={range.value === one}
              onClick={() => (range.value = one)}
            >
              {one}
            </button>
          ))}
        </fieldset>
      </div>
      <div class="equity-chart">
        {problem && !history.value ? <Failed what="the equity curve" error={problem} /> : <EquityChart />}
      </div>
      <div class="stats">
        <Stat
          title="Buying power"
          of="account.buying_power"
          value={account?.buying_power}
          href={hrefOf('ledger')}
        />
        <Stat
          title="Cash"
          of="account.cash"
          value={account?.cash}
          href={hrefOf('ledger', undefined, { asset: 'USD' })}
        />
        <Stat title="Long" of="account.long_market_value" value={account?.long_market_value} />
        <Stat title="Short" of="account.short_market_value" value={account?.short_market_value} />
        <MarginInUse />
      </div>
    </section>
  )
}

function Headline({
  value,
  stale,
}: {
  readonly value: Decimal | undefined
  readonly stale: boolean
}): JSX.Element {
  if (value === undefined)
    return (
      <div class="equity">
        <LoadingNumber width="12rem" />
      </div>
    )
  const [whole, cents] = moneyText(value).split('.')
  return (
    <div class={`equity n ${stale ? 'stale' : ''}`} data-number="account.equity">
      <a class="source" href={hrefOf('ledger')}>
        ${whole}
        <small>.{cents}</small>
      </a>
    </div>
  )
}

/** The change today. Transfers are no gain, so they are shown apart. */
function Today(): JSX.Element | null {
  const store = current.value?.store
  const [account, equity, today] = [store?.account.value, liveEquity.value, store?.gainToday.value]
  if (!account || !equity || today === undefined) return null
  const last = decimal(account.last_equity)
  const gain = decimal(today)
  const transferred = subtract(subtract(equity, last), gain)
  const percent = percentOf(gain, last)
  const sign = signOf(gain)
  return (
    <div class="equity-today">
      <span class={`chip ${sign > 0 ? 'up' : sign < 0 ? 'down' : ''}`}>
        {sign > 0 ? '▲' : sign < 0 ? '▼' : ''} <Gain value={gain} of="gain_today" />{' '}
        {percent && percentText(percent)}
      </span>
      <span class="faint">today</span>
      {signOf(transferred) !== 0 && (
        <span class="faint">
          transferred <Gain value={transferred} />
        </span>
      )}
    </div>
  )
}

function EquityChart(): JSX.Element {
  const store = current.value?.store
  const [read, now, equity, state] = [history.value, store?.asOf.value?.timeMs, liveEquity.value, clock.value]
  if (!read || now === undefined || !state) return <div class="chart-placeholder" aria-busy="true" />
  const isDay = range.value === '1D'
  const live: Point | undefined = equity && [now, numberOf(equity)]
  const played = read.points.filter(([at]) => at <= now)
  const points = live ? [...played, live] : played
  const fromMs = points[0]?.[0] ?? now - 3_600_000
  const isSameDay = isDay && state.isOpen && dayKey(state.nextCloseMs) === dayKey(now)
  const toMs = isSameDay ? state.nextCloseMs : Math.max(now, fromMs + 60_000)
  const values = points.map(([, value]) => value)
  const lowest = values.length === 0 ? 0 : Math.min(...values)
  const time = isDay ? minuteText : dayText
  return (
    <LineChart
      of="curve"
      summary={`Equity from ${moneyText(String((points[0]?.[1] ?? 0).toFixed(2)))} at ${time(fromMs)} to ${
        equity ? moneyText(equity) : ''
      } at ${time(now)}, lowest ${moneyText(lowest.toFixed(2))}.`}
      series={[{ name: 'Equity', color: 'var(--accent)', points, area: true, tag: true }]}
      fromMs={fromMs}
      toMs={toMs}
      nowMs={isSameDay && state.isVirtual ? now : undefined}
      base={
        isDay && read.base > 0
          ? { value: read.base, label: `Last close ${moneyText(read.base.toFixed(2))}` }
          : undefined
      }
      events={worldEvents.value}
    />
  )
}

function Stat({
  title,
  value,
  href,
  of,
}: {
  readonly title: string
  readonly of: string
  readonly value: string | null | undefined
  readonly href?: string
}): JSX.Element {
  const stale = current.value?.store.orderStream.isStale.value ?? false
  const shown = value == null ? <LoadingNumber /> : <Money value={value} stale={stale} of={of} />
  return (
    <div>
      <h3>{title}</h3>
      {href === undefined ? (
        shown
      ) : (
        <a class="source" href={href}>
          {shown}
        </a>
      )}
    </div>
  )
}

/** Initial margin as a share of equity. */
function MarginInUse(): JSX.Element | null {
  const account = current.value?.store.account.value
  const equity = liveEquity.value
  if (!account || !equity || !livePositions.value) return null
  const percent = percentOf(decimal(account.initial_margin), equity)
  const number = percent ? Math.round(numberOf(percent)) : 0
  return (
    <div class="wide-only margin">
      <h3>Margin in use</h3>
      <div class="margin-row">
        <div class="meter grow">
          <i style={{ width: `${Math.min(Math.max(number, 0), 100)}%` }} />
        </div>
        <span class="n">{number} %</span>
      </div>
    </div>
  )
}
