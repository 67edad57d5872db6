import { useLayoutEffect } from 'preact/hooks'
import { addKeys } from '../keyboard.ts'
import { place, setQuery } from '../router.ts'
import { type Range, ranges } from './ranges.ts'
import { type Timeframe, timeframes } from './timeframes.ts'

/** What the address says about the chart: bar length, range, the symbol to compare with, and the scale. */

const barsText = (label: string): string | undefined => (label === '5m' ? undefined : label)

export const chooseTimeframe = ({ label }: Timeframe): void =>
  setQuery({ bars: barsText(label), range: undefined })
export const chooseRange = ({ label, bars }: Range): void => setQuery({ bars: barsText(bars), range: label })
export const compareWith = (symbol: string | undefined): void => setQuery({ compare: symbol })
export const chooseScale = (isLogarithmic: boolean): void =>
  setQuery({ scale: isLogarithmic ? 'log' : undefined })

/** The range that was chosen last; the session until the viewer chooses a bar length. */
export function rangeNow(): Range | undefined {
  const { query } = place.value
  const wanted = query.get('range') ?? (query.has('bars') ? undefined : '1D')
  // A range with shorter bars than its own would read millions of them.
  return ranges.find(({ label, bars }) => label === wanted && bars === (query.get('bars') ?? '5m'))
}

export const comparedNow = (): string | undefined => place.value.query.get('compare') ?? undefined
export const isLogarithmicNow = (): boolean => place.value.query.get('scale') === 'log'

function timeframeNow(): Timeframe {
  const wanted = place.value.query.get('bars') ?? '5m'
  return timeframes.find(({ label }) => label === wanted) ?? timeframes[1]
}

/** The bar length; `[` and `]` change it. */
export function useTimeframe(): Timeframe {
  useLayoutEffect(() => {
    const move = (step: number) => () => {
      const next = timeframes[timeframes.indexOf(timeframeNow()) + step]
      if (next) chooseTimeframe(next)
    }
    return addKeys('Workspace', { '[': move(-1), ']': move(1) })
  }, [])
  return timeframeNow()
}
