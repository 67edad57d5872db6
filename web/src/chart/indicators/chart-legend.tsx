import type { JSX } from 'preact'
import { volumeText } from '../../format/amounts.ts'
import { axisText } from '../../parts/scale.ts'
import type { ChartBar } from '../bar.ts'
import { axisDecimals, timeTexts } from '../chart-options.ts'
import type { Timeframe } from '../timeframes.ts'
import { type ChartLine, legendValues } from './indicator-lines.ts'

const priceOf = (value: number): string => axisText(value, axisDecimals(value))

type LegendProps = {
  readonly bars: readonly ChartBar[]
  readonly lines: readonly ChartLine[]
  /** The bar under the pointer; absent: the newest one. */
  readonly hovered: ChartBar | undefined
  readonly timeframe: Timeframe
}

/** The values of the bar under the pointer, or of the newest one, and of the indicators there. */
export function Legend({ bars, lines, hovered, timeframe }: LegendProps): JSX.Element {
  const found = hovered ? bars.findIndex(({ atMs }) => atMs === hovered.atMs) : -1
  const index = found < 0 ? bars.length - 1 : found
  const bar = bars[index]
  const named = lines.filter(({ name }) => name !== undefined)
  return (
    <div class="chart-legend">
      {bar && (
        <div class="bar-text wide-only" aria-hidden="true">
          <span class="faint">{timeTexts(timeframe, bar.atMs)}</span>
          {(['open', 'high', 'low', 'close'] as const).map((field) => (
            <span key={field}>
              {field[0]!.toUpperCase()} <b>{priceOf(bar[field])}</b>
            </span>
          ))}
          <span>
            V <b>{volumeText(bar.volume)}</b>
          </span>
        </div>
      )}
      {named.length > 0 && (
        <ul class="line-legend" aria-label="Indicators">
          {named.map((line) => (
            <li key={line.key}>
              <i class={`of-${line.colour} ${line.isDashed ? 'dashed' : ''}`} />
              {line.name}{' '}
              {!line.isScaled && (
                <b>
                  {legendValues(lines, line, index)
                    .map((value) => (line.where === 'below' ? axisText(value, 1) : priceOf(value)))
                    .join(' · ') || '–'}
                </b>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
