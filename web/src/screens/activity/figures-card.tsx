import type { LoggedRequest } from '@quipu/sdk'
import type { JSX } from 'preact'
import { setFilters } from './filters.ts'
import {
  type CallerFigures,
  callersOf,
  isError,
  type LatencyColumn,
  latencyAt,
  latencyColumns,
  RATE_MINUTES,
} from './request-figures.ts'
import { shortKey, sourceWord, tookText } from './request-words.ts'

/** Callers of the card; the others are in the list. */
const CALLERS_MAX = 4

/** A phone shows the list first. */
const isWide = matchMedia('(min-width: 52rem)').matches

/** How long the requests of the list took, and who sent them. */
export function FiguresCard({ rows }: { readonly rows: readonly LoggedRequest[] }): JSX.Element {
  const figures = figuresOf(rows)
  const { errors, columns, callers } = figures
  return (
    <details class="figures" open={isWide}>
      <summary class="small soft">
        <b class="n">{rows.length.toLocaleString('en-US')}</b> requests ·{' '}
        <span class={errors > 0 ? 'of-wrong' : ''}>{errors.toLocaleString('en-US')} errors</span> · median{' '}
        <b class="n">{tookText(figures.median ?? 0)} ms</b> · 95 % within{' '}
        <b class="n">{tookText(figures.slow ?? 0)} ms</b>
      </summary>
      <div>
        <section aria-labelledby="latency-title">
          <h2 id="latency-title">Milliseconds to respond</h2>
          <Histogram columns={columns} />
        </section>
        <section aria-labelledby="callers-title">
          <h2 id="callers-title">Callers</h2>
          <ul class="callers">
            {callers.slice(0, CALLERS_MAX).map((caller) => (
              <Caller key={`${caller.source} ${caller.keyId}`} caller={caller} />
            ))}
          </ul>
          {callers.length > CALLERS_MAX && (
            <p class="small faint">and {callers.length - CALLERS_MAX} more callers</p>
          )}
        </section>
      </div>
    </details>
  )
}

const figuresOf = (rows: readonly LoggedRequest[]) => ({
  errors: rows.filter(isError).length,
  median: latencyAt(rows, 0.5),
  slow: latencyAt(rows, 0.95),
  columns: latencyColumns(rows),
  callers: callersOf(rows),
})

/** `5–10 ms: 12 requests, 3 errors` */
function columnText({ fromMs, count, errors }: LatencyColumn, next: LatencyColumn | undefined): string {
  const range = next === undefined ? `${fromMs} ms and longer` : `${fromMs}–${next.fromMs} ms`
  return `${range}: ${count} requests${errors === 0 ? '' : `, ${errors} errors`}`
}

function Histogram({ columns }: { readonly columns: readonly LatencyColumn[] }): JSX.Element {
  const most = Math.max(1, ...columns.map(({ count }) => count))
  const texts = columns.map((column, index) => columnText(column, columns[index + 1]))
  const used = texts.filter((_, index) => columns[index]!.count > 0)
  return (
    <div class="histogram" role="img" aria-label={`Milliseconds to respond. ${used.join('. ')}`}>
      {columns.map((column, index) => (
        <div key={column.fromMs} title={texts[index]}>
          <svg viewBox="0 0 10 40" preserveAspectRatio="none" aria-hidden="true">
            <Bar share={column.count / most} />
            <Bar share={column.errors / most} isWrong />
          </svg>
          <span class="faint n">{column.fromMs}</span>
        </div>
      ))}
    </div>
  )
}

/** A bar that is not empty has at least one pixel. */
function Bar({
  share,
  isWrong = false,
}: {
  readonly share: number
  readonly isWrong?: boolean
}): JSX.Element | null {
  if (share === 0) return null
  const height = Math.max(1.5, share * 40)
  return <rect class={isWrong ? 'wrong' : ''} x={0} width={10} y={40 - height} height={height} />
}

function Caller({
  caller: { source, keyId, count, errors, perMinute },
}: {
  readonly caller: CallerFigures
}): JSX.Element {
  const most = Math.max(1, ...perMinute)
  const now = perMinute.at(-1) ?? 0
  return (
    <li>
      <button
        type="button"
        class="link"
        title="Show its requests only"
        onClick={() => setFilters({ source })}
      >
        {sourceWord({ source })}
      </button>
      <span class="mono faint cut-text">{keyId === undefined ? '' : shortKey(keyId)}</span>
      <svg viewBox={`0 0 ${RATE_MINUTES} 10`} preserveAspectRatio="none" aria-hidden="true">
        {perMinute.map((each, at) => (
          <rect key={at} x={at} width={0.8} y={10 - (each / most) * 10} height={(each / most) * 10} />
        ))}
      </svg>
      <span class="n r" title="Requests of the newest minute; the bars are the last 30 minutes">
        {now.toLocaleString('en-US')} a minute
      </span>
      <span class="n r soft">{count.toLocaleString('en-US')}</span>
      <span class={`n r ${errors > 0 ? 'of-wrong' : 'faint'}`}>{errors.toLocaleString('en-US')} errors</span>
    </li>
  )
}
