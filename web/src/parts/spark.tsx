import type { JSX } from 'preact'
import { sparkPath } from './scale.ts'

/** A small curve in a table, with a dotted line at the first value. For drawing only. */
export function Spark({
  values,
  base,
  of,
}: {
  readonly values: readonly number[]
  readonly base?: number | undefined
  /** What the curve is: `day.AAPL`, `equity`. */
  readonly of?: string
}): JSX.Element {
  const { path, baseY } = sparkPath(values, base)
  const rises = (values.at(-1) ?? 0) >= (base ?? values[0] ?? 0)
  return (
    <svg class="spark" viewBox="0 0 80 22" aria-hidden="true" data-spark={of}>
      {baseY !== undefined && (
        <path d={`M1 ${baseY}H79`} stroke="var(--line-strong)" stroke-dasharray="2 2" />
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
