import { histogramOf, type SeedStatistics } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { gainText } from '../../format/amounts.ts'

type HistogramProps = { readonly profits: readonly number[]; readonly statistics: SeedStatistics }

/** How many seeds ended with which P/L, with zero, the median, and the mean with its interval. */
export function SeedHistogram({ profits, statistics }: HistogramProps): JSX.Element {
  const { low, high, counts } = histogramOf(profits)
  const { profitLoss, meanBetween } = statistics
  const most = Math.max(...counts)
  const left = (value: number): string => `${high === low ? 50 : ((value - low) / (high - low)) * 100}%`
  const edge = (index: number): number => low + (index / counts.length) * (high - low)
  const kindOf = (index: number): string =>
    edge(index) >= 0 ? 'won' : edge(index + 1) <= 0 ? 'lost' : 'both'
  const label = `P/L from ${signed(low)} to ${signed(high)}: median ${signed(profitLoss.median)}, mean ${signed(profitLoss.mean)}`
  return (
    <>
      <div class="run-legend small soft">
        <span class="median">median</span>
        <span class="mean">mean and its 95 % interval</span>
      </div>
      <div class="seed-histogram" role="img" aria-label={label}>
        <div class="ranges">
          {counts.map((count, index) => (
            <i key={index} class={kindOf(index)} style={{ height: `${(count / most) * 100}%` }} />
          ))}
        </div>
        {low < 0 && high > 0 && <span class="zero" style={{ left: left(0) }} />}
        <span class="median" style={{ left: left(profitLoss.median) }} />
        <span
          class="interval"
          style={{ left: left(meanBetween.low), right: `calc(100% - ${left(meanBetween.high)})` }}
        />
        <span class="mean" style={{ left: left(profitLoss.mean) }} />
      </div>
      <div class="seed-scale small faint n" aria-hidden="true">
        <span>{signed(low)}</span>
        {low < 0 && high > 0 && <ZeroText share={-low / (high - low)} />}
        {high > low && <span>{signed(high)}</span>}
      </div>
    </>
  )
}

/** Nothing near the texts at both ends. */
const ZeroText = ({ share }: { readonly share: number }): JSX.Element | null =>
  share < 0.2 || share > 0.8 ? null : (
    <span class="at" style={{ left: `${share * 100}%` }}>
      0
    </span>
  )

const signed = (amount: number): string => gainText(amount.toFixed(2))
