import type { JSX } from 'preact'
import { Loading, LoadingNumber } from '../../parts/states.tsx'
import { isNarrow } from '../../session/window.ts'

/** The panes before the account is known. */
export const LoadingPanes = (): JSX.Element => (
  <div class={`workspace loading-panes ${isNarrow.value ? 'no-watchlist no-ticket' : ''}`}>
    <div class="summary-row">
      <div class="summary">
        <LoadingNumber width="9rem" />
        <LoadingNumber width="20rem" />
      </div>
    </div>
    {!isNarrow.value && (
      <div class="card" style={{ gridArea: 'watchlist' }}>
        <Loading rows={10} />
      </div>
    )}
    <div class="chart-pane">
      <LoadingChart />
    </div>
    <div class="card" style={{ gridArea: 'blotter' }}>
      <Loading rows={5} />
    </div>
    {!isNarrow.value && (
      <div class="card" style={{ gridArea: 'ticket' }}>
        <Loading rows={8} />
      </div>
    )}
  </div>
)

const CANDLES = 36

/** Candles without a colour, in the place of the chart. */
export const LoadingChart = (): JSX.Element => (
  <section class="card loading-chart" aria-label="Chart" aria-busy="true">
    {Array.from({ length: CANDLES }, (_, at) => {
      const middle = 50 + 22 * Math.sin(at / 5) + 8 * Math.sin(at * 2.3)
      const height = 8 + ((at * 37) % 13)
      return (
        <span
          key={at}
          class="skeleton"
          style={{
            top: `${middle - height / 2}%`,
            left: `${((at + 0.25) / CANDLES) * 100}%`,
            height: `${height}%`,
          }}
        />
      )
    })}
  </section>
)
