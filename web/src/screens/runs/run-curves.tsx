import { useSignal } from '@preact/signals'
import { basketText, drawdownOf, holdOf, type RunFile, tradesOf, worthOf } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { Empty } from '../../parts/states.tsx'
import { RunChart, type RunLine } from './run-chart.tsx'
import { runTicks } from './run-ticks.ts'
import { fallText, Gain, sharpeText } from './run-words.tsx'
import type { Scrub } from './scrub.ts'

/** The least that a chart of a run spans. */
export const LEAST_PERCENT = 0.1

/** Equity and drawdown of a run against buy-and-hold. */
export function RunCurves({ scrub }: { readonly scrub: Scrub }): JSX.Element {
  const isPercent = useSignal(false)
  const { run, parts } = scrub.file
  const { equity } = parts
  const hold = holdOf(equity).map((point) => point.equity)
  const spy = holdOf(equity, 'spy').map((point) => point.equity)
  const money: readonly RunLine[] = [
    ...(spy.length > 1 ? [{ kind: 'spy', values: spy } as const] : []),
    ...(hold.length > 1 ? [{ kind: 'hold', values: hold } as const] : []),
    { kind: 'own', values: equity.map(worthOf) },
  ]
  const lines = isPercent.value ? money.map(inPercent) : money
  const falls: readonly RunLine[] = [
    ...(hold.length > 1 ? [{ kind: 'hold', values: fallsOf(holdOf(equity)) } as const] : []),
    { kind: 'fall', values: fallsOf(equity.map((point) => ({ at: point.at, equity: worthOf(point) }))) },
  ]
  // A drill takes minutes: its curve is flat, and its verdict is what matters.
  const isFlat =
    parts.drill.length > 0 && falls.every(({ values }) => Math.min(0, ...values) > -LEAST_PERCENT)
  const events = parts.fault.slice(0, 12).map(({ at, label }) => ({ share: scrub.shareOf(at), label }))
  return (
    <section class="card run-curves" aria-label="Equity">
      <header>
        <h2>Equity</h2>
        <div class="run-legend small soft">
          <span class="own">{run.program}</span>
          {hold.length > 1 && <span class="hold">buy and hold {basketText(run)}</span>}
          {spy.length > 1 && <span class="spy">SPY</span>}
        </div>
        <fieldset class="choice right" aria-label="Scale">
          {[false, true].map((one) => (
            <button
              key={String(one)}
              type="button"
              aria-pressed={isPercent.value === one}
              onClick={() => {
                isPercent.value = one
              }}
            >
              {one ? '%' : 'Money'}
            </button>
          ))}
        </fieldset>
      </header>
      {equity.length < 2 ? (
        <Empty icon="pulse" title="The run has no curve">
          It has not ended, or it was too short.
        </Empty>
      ) : (
        <div class="body">
          <RunChart
            label={`Equity of ${run.program}${hold.length > 1 ? ` and of buy and hold ${basketText(run)}` : ''}`}
            lines={lines}
            height={isFlat ? 96 : 196}
            least={isPercent.value ? LEAST_PERCENT : ((equity[0]?.equity ?? 0) * LEAST_PERCENT) / 100}
            share={scrub.share.value}
            events={events}
            {...(isFlat && { ticks: runTicks(equity) })}
          />
          {!isFlat && (
            <>
              <h3 class="small soft">Drawdown, %</h3>
              <RunChart
                label="Drawdown in per cent"
                lines={falls}
                height={84}
                least={LEAST_PERCENT}
                share={scrub.share.value}
                ticks={runTicks(equity)}
              />
            </>
          )}
        </div>
      )}
      <RunFigures file={scrub.file} />
    </section>
  )
}

const fallsOf = (points: Parameters<typeof drawdownOf>[0]): readonly number[] =>
  drawdownOf(points).map(({ fall }) => fall * 100)

const inPercent = ({ kind, values }: RunLine): RunLine => {
  const [first = 1] = values
  return { kind, values: values.map((value) => (value / first - 1) * 100) }
}

function RunFigures({ file: { run, parts } }: { readonly file: RunFile }): JSX.Element {
  const closed = tradesOf(parts.fill, parts.price).filter(({ closedAt }) => closedAt !== undefined)
  const won = closed.filter(({ profit = 0 }) => profit > 0).length
  return (
    <dl class="run-figures">
      <div>
        <dt>P/L</dt>
        <dd>
          <Gain of={run.profit_loss} />
        </dd>
      </div>
      <div>
        <dt>Buy and hold</dt>
        <dd>{run.buy_and_hold === undefined ? '–' : <Gain of={run.buy_and_hold} />}</dd>
      </div>
      <div>
        <dt>Sharpe</dt>
        <dd class="n">{sharpeText(run.sharpe)}</dd>
      </div>
      <div>
        <dt>Largest drawdown</dt>
        <dd class="n">{fallText(run.max_drawdown)}</dd>
      </div>
      <div>
        <dt>Trades won</dt>
        <dd class="n">
          {won} of {closed.length}
        </dd>
      </div>
      <div>
        <dt>Requests refused</dt>
        <dd class="n">
          {run.refused} of {run.requests}
        </dd>
      </div>
    </dl>
  )
}
