import type { JSX } from 'preact'
import { volumeText } from '../format/amounts.ts'
import { axisText } from '../parts/scale.ts'
import { VirtualRows } from '../parts/virtual-rows.tsx'
import type { ChartBar } from './bar.ts'
import { axisDecimals, timeTexts } from './chart-options.ts'
import type { Timeframe } from './timeframes.ts'

/** The bars behind the chart, newest first. */
export function BarTable({
  bars,
  timeframe,
  label,
  onEnd,
}: {
  readonly bars: readonly ChartBar[]
  readonly timeframe: Timeframe
  readonly label: string
  readonly onEnd: () => void
}): JSX.Element {
  const items = bars.toReversed()
  const price = (value: number): string => axisText(value, axisDecimals(value))
  return (
    <VirtualRows
      class="bar-table"
      items={items}
      label={label}
      onEnd={onEnd}
      head={
        <tr>
          <th>Time in New York</th>
          {['Open', 'High', 'Low', 'Close', 'Volume'].map((name) => (
            <th key={name} class="r">
              {name}
            </th>
          ))}
        </tr>
      }
      row={({ atMs, open, high, low, close, volume }) => (
        <tr key={atMs}>
          <td>{timeTexts(timeframe, atMs)}</td>
          {[open, high, low, close].map((value, index) => (
            <td key={index} class="r n">
              {price(value)}
            </td>
          ))}
          <td class="r n">{volumeText(volume)}</td>
        </tr>
      )}
    />
  )
}
