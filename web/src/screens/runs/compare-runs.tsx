import { type RunFile, verdictWord } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { gainText, UNKNOWN } from '../../format/amounts.ts'
import { hrefOf } from '../../router.ts'
import { RunChart } from './run-chart.tsx'
import { LEAST_PERCENT } from './run-curves.tsx'
import { runTicks } from './run-ticks.ts'
import { colorOf, fallText, periodText, sharpeText } from './run-words.tsx'
import type { OpenedRun } from './runs-data.ts'

type Row = readonly [
  name: string,
  of: (file: RunFile) => string,
  /** The amount whose sign gives the colour. */
  gain?: (file: RunFile) => number | undefined,
]

const rows: readonly Row[] = [
  ['Verdict', ({ run }) => `${verdictWord(run)}${run.reason === '' ? '' : `: ${run.reason}`}`],
  ['Program', ({ run }) => run.program],
  ['Commit', ({ run }) => run.revision ?? UNKNOWN],
  ['Scenario', ({ run }) => run.scenario ?? UNKNOWN],
  ['Period', ({ run }) => periodText(run)],
  ['Seed', ({ run }) => run.seed],
  ['P/L', ({ run }) => gainText(run.profit_loss.toFixed(2)), ({ run }) => run.profit_loss],
  [
    'Buy and hold',
    ({ run }) => (run.buy_and_hold === undefined ? UNKNOWN : gainText(run.buy_and_hold.toFixed(2))),
    ({ run }) => run.buy_and_hold,
  ],
  ['Sharpe', ({ run }) => sharpeText(run.sharpe)],
  ['Drawdown', ({ run }) => fallText(run.max_drawdown)],
  ['Orders', ({ run }) => String(run.orders)],
  ['Fills', ({ run }) => String(run.fills)],
  ['Requests', ({ run }) => String(run.requests)],
  ['Refused', ({ run }) => String(run.refused)],
  ['Faults met', ({ run }) => `${run.faults_met} of ${run.faults_planned}`],
]

/** Points of other periods are at other times. */
const samePeriod = ({ file: { run: a } }: OpenedRun, { file: { run: b } }: OpenedRun): boolean =>
  a.from === b.from && a.to === b.to

/** Two runs beside each other. */
export function CompareRuns({ a, b }: { readonly a: OpenedRun; readonly b: OpenedRun }): JSX.Element {
  const nameOf = ({ stored, file }: OpenedRun): string =>
    stored ? `Run ${stored.number}` : file.run.id.slice(0, 8)
  const values = ({ file }: OpenedRun) => file.parts.equity.map(({ equity }) => equity)
  return (
    <>
      <div class="runs-head">
        <a class="link" href={hrefOf('runs')}>
          Runs
        </a>
        <h1>
          {nameOf(a)} and {nameOf(b)}
        </h1>
      </div>
      <section class="card" aria-label="Equity of both runs">
        <header>
          <h2>Equity</h2>
          <div class="run-legend small soft">
            <span class="own">{nameOf(a)}</span>
            <span class="other">{nameOf(b)}</span>
          </div>
        </header>
        <div class="body">
          <RunChart
            label={`Equity of ${nameOf(a)} and ${nameOf(b)}`}
            lines={[
              { kind: 'other', values: values(b) },
              { kind: 'own', values: values(a) },
            ]}
            height={220}
            least={((values(a)[0] ?? 0) * LEAST_PERCENT) / 100}
            ticks={samePeriod(a, b) ? runTicks(a.file.parts.equity) : []}
          />
        </div>
      </section>
      <section class="card compare-runs" aria-label="Results of both runs">
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th>
                  <span class="hidden-text">Result</span>
                </th>
                <th class="r">{nameOf(a)}</th>
                <th class="r">{nameOf(b)}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([name, of, gain]) => {
                const [left, right] = [of(a.file), of(b.file)]
                const color = ({ file }: OpenedRun) => colorOf(gain?.(file) ?? 0)
                return (
                  <tr key={name} class={left === right ? 'soft' : ''}>
                    <th scope="row">{name}</th>
                    <td class={`r n ${color(a)}`}>{left}</td>
                    <td class={`r n ${color(b)}`}>{right}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      </section>
    </>
  )
}
