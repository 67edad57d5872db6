import type { ChartBar } from '../bar.ts'
import type { IndicatorSettings } from './indicator-settings.ts'
import {
  bollingerBands,
  dayVwap,
  exponentialAverage,
  relativeStrength,
  scaledCloses,
  simpleAverage,
  type Values,
} from './indicators.ts'

/** A line over the candles, or in the pane below them. */
export type ChartLine = {
  readonly key: string
  /** In the legend; absent: the line belongs to the one before it. */
  readonly name?: string
  readonly colour: 'warn' | 'ink' | 'soft' | 'edge' | 'faint'
  readonly isDashed?: boolean
  readonly where: 'price' | 'below'
  /** One per bar. */
  readonly values: Values
  /** Bars after which the line is interrupted. */
  readonly ends?: ReadonlySet<number>
  /** The values are no prices, so the legend shows none. */
  readonly isScaled?: boolean
}

export type Compared = { readonly symbol: string; readonly bars: readonly ChartBar[] }

/** The lines of the chosen indicators, and of the symbol to compare with. */
export function linesOf(
  bars: readonly ChartBar[],
  settings: IndicatorSettings,
  isIntraday: boolean,
  compared: Compared | undefined,
  leftMs: number,
): readonly ChartLine[] {
  const closes = bars.map(({ close }) => close)
  const lines: ChartLine[] = []
  const { vwap, ema, sma, bollinger, rsi } = settings
  if (vwap.isOn && isIntraday)
    lines.push({ key: 'vwap', name: 'VWAP', colour: 'warn', where: 'price', ...dayVwap(bars) })
  if (ema.isOn) {
    const [period = 1] = ema.periods
    const values = exponentialAverage(closes, period)
    lines.push({ key: 'ema', name: `EMA ${period}`, colour: 'ink', where: 'price', values })
  }
  if (sma.isOn) {
    const [period = 1] = sma.periods
    const values = simpleAverage(closes, period)
    lines.push({ key: 'sma', name: `SMA ${period}`, colour: 'soft', isDashed: true, where: 'price', values })
  }
  if (bollinger.isOn) lines.push(...bollingerLines(closes, bollinger.periods))
  if (compared) {
    const left = bars.findIndex(({ atMs }) => atMs >= leftMs)
    const values = scaledCloses(bars, compared.bars, Math.max(left, 0))
    const name = `${compared.symbol}, scaled at the left edge`
    lines.push({
      key: 'compare',
      name,
      colour: 'faint',
      isDashed: true,
      where: 'price',
      values,
      isScaled: true,
    })
  }
  if (rsi.isOn) {
    const [period = 1] = rsi.periods
    const values = relativeStrength(closes, period)
    lines.push({ key: 'rsi', name: `RSI ${period}`, colour: 'ink', where: 'below', values })
  }
  return lines
}

function bollingerLines(
  closes: readonly number[],
  [period = 1, deviations = 1]: readonly number[],
): ChartLine[] {
  const { upper, middle, lower } = bollingerBands(closes, period, deviations)
  const line = { colour: 'edge', where: 'price' } as const
  return [
    { ...line, key: 'bollinger', name: `Bollinger ${period}, ${deviations}`, isDashed: true, values: middle },
    { ...line, key: 'bollinger upper', values: upper },
    { ...line, key: 'bollinger lower', values: lower },
  ]
}

/** `219.90`, or `219.90 216.10 212.30` with the lines that belong to it. */
export function legendValues(lines: readonly ChartLine[], line: ChartLine, index: number): readonly number[] {
  const own = lines.filter(({ key }) => key === line.key || key.startsWith(`${line.key} `))
  return own.flatMap(({ values }) => values[index] ?? [])
}
