import type { JSX } from 'preact'

/** A small curve in a table, with a dotted line at the first value. For drawing only. */
export function Spark({
  values,
  base,
}: {
  readonly values: readonly number[]
  readonly base?: number | undefined
}): JSX.Element {
  const all = base === undefined ? values : [base, ...values]
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const y = (value: number) => (high > low ? 20 - ((value - low) / (high - low)) * 18 : 11)
  const x = (index: number) => 1 + (index / Math.max(values.length - 1, 1)) * 78
  const path = values
    .map((value, index) => `${index ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('')
  const rises = (values.at(-1) ?? 0) >= (base ?? values[0] ?? 0)
  return (
    <svg class="spark" viewBox="0 0 80 22" aria-hidden="true">
      {base !== undefined && (
        <path d={`M1 ${y(base).toFixed(1)}H79`} stroke="var(--line-strong)" stroke-dasharray="2 2" />
      )}
      <path
        d={path}
        fill="none"
        stroke={rises ? 'var(--up-fill)' : 'var(--down-fill)'}
        stroke-width="1.4"
        stroke-linejoin="round"
      />
    </svg>
  )
}
