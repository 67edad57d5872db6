import type { JSX } from 'preact'
import { UNKNOWN } from '../../format/amounts.ts'
import { decimalOfNumber, percentOf, signOf, subtract } from '../../format/decimal.ts'
import { Gain } from '../../parts/amounts.tsx'

type ChangeProps = {
  readonly symbol: string
  readonly last: number | undefined
  readonly before: number | undefined
  readonly stale: boolean
}

/** The change since the last close: an arrow, a sign, the amount and per cent. */
export function DayChange({
  symbol,
  last,
  before,
  stale,
  line,
}: ChangeProps & { readonly line?: boolean }): JSX.Element {
  if (last === undefined || before === undefined) return <span class="n">{UNKNOWN}</span>
  const change = subtract(decimalOfNumber(last), decimalOfNumber(before))
  const sign = signOf(change)
  const colour = stale || sign === 0 ? '' : sign > 0 ? 'up' : 'down'
  return (
    <span class={`day-change ${line ? 'line' : ''}`}>
      <b class={colour}>
        <span aria-hidden="true">{sign > 0 ? '▲ ' : sign < 0 ? '▼ ' : ''}</span>
        <Gain value={change} stale={stale} of={`change.${symbol}`} />
      </b>
      <Gain
        value={percentOf(change, decimalOfNumber(before))}
        percent
        stale={stale}
        of={`change_percent.${symbol}`}
      />
    </span>
  )
}
