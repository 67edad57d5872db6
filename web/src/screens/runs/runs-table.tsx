import type { ServerRun } from '@quipu/sdk'
import { groupOf } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { nearText } from '../../format/times.ts'
import { onRow } from '../../parts/row-click.ts'
import { Spark } from '../../parts/spark.tsx'
import { go, hrefOf } from '../../router.ts'
import { fallText, Gain, periodText, sharpeText, tookText, Verdict } from './run-words.tsx'

export type RunRow = { readonly run: ServerRun; readonly seeds: readonly ServerRun[] }

type TableProps = {
  readonly rows: readonly RunRow[]
  readonly selected: readonly string[]
  readonly select: (id: string) => void
  readonly unfold: (group: string) => void
}

/** Runs as the list of a CI. */
export const RunsTable = ({ rows, ...others }: TableProps): JSX.Element => {
  // A column without a value says nothing.
  const hasScenario = rows.some(({ run }) => run.scenario !== undefined)
  const choice = { ...others, hasScenario }
  return (
    <div class="scroll">
      <table class="runs-table">
        <thead>
          <tr>
            <th>
              <span class="hidden-text">Compare</span>
            </th>
            <th>Verdict</th>
            <th>Run</th>
            <th>Program</th>
            {hasScenario && <th class="wide-only">Scenario</th>}
            <th class="wide-only">Period</th>
            <th class="wide-only r">Seed</th>
            <th class="wide-only">Equity</th>
            <th class="r">P/L</th>
            <th class="not-phone r">Sharpe</th>
            <th class="not-phone r">Drawdown</th>
            <th class="wide-only r">Faults met</th>
            <th class="wide-only r">Took</th>
            <th class="not-phone r">Started</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) =>
            row.seeds.length > 1 ? (
              <GroupRow key={row.run.id} row={row} {...choice} />
            ) : (
              <OneRow key={row.run.id} run={row.run} {...choice} />
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}

type Choice = Omit<TableProps, 'rows'> & { readonly hasScenario: boolean }

function OneRow({ run, selected, select, hasScenario }: Choice & { readonly run: ServerRun }): JSX.Element {
  const { id, number, program, revision, scenario, seed, curve, profit_loss: profit } = run
  const isSelected = selected.includes(id)
  return (
    <tr
      class={isSelected ? 'selected' : ''}
      data-href={hrefOf('runs', id)}
      onClick={onRow(() => go(hrefOf('runs', id)))}
    >
      <td>
        <input
          type="checkbox"
          onClick={(event) => event.stopPropagation()}
          aria-label={`Compare run ${number}`}
          checked={isSelected}
          onChange={() => select(id)}
        />
      </td>
      <td>
        <Verdict run={run} />
        {run.reason !== '' && <span class="aside">{run.reason}</span>}
      </td>
      <td class="mono soft">
        <a class="link" href={hrefOf('runs', id)}>
          {number}
        </a>
        {run.pinned && <span class="chip tint">pinned</span>}
      </td>
      <td>
        <b>{program}</b> <span class="not-phone mono faint">{revision ?? ''}</span>
      </td>
      {hasScenario && <td class="wide-only">{scenario ?? ''}</td>}
      <td class="wide-only soft">{periodText(run)}</td>
      <td class="wide-only r n">{seed}</td>
      <td class="wide-only">{curve.length > 1 && <Spark values={curve} />}</td>
      <td class="r">
        <Gain of={profit} />
      </td>
      <td class="not-phone r n">{sharpeText(run.sharpe)}</td>
      <td class="not-phone r n">{fallText(run.max_drawdown)}</td>
      <td class="wide-only r n of-sim">
        {run.faults_met} / {run.faults_planned}
      </td>
      <td class="wide-only r n soft">{tookText(run.took_ms)}</td>
      <td class="not-phone r mono faint">{nearText(run.started_at, Date.now())}</td>
    </tr>
  )
}

function GroupRow({
  row: { run, seeds },
  unfold,
  hasScenario,
}: Choice & { readonly row: RunRow }): JSX.Element {
  const group = groupOf(seeds)
  const failed = seeds.length - group.passed
  const numbers = seeds.map(({ number }) => number)
  const took = seeds.reduce((sum, one) => sum + one.took_ms, 0)
  return (
    <tr>
      <td />
      <td>
        <span class={`verdict ${failed > 0 ? 'warning' : 'passed'}`}>
          {group.passed} of {seeds.length} passed
        </span>
        {failed > 0 && <span class="aside">{failed === 1 ? 'one seed' : `${failed} seeds`} failed</span>}
      </td>
      <td class="mono soft">
        <button type="button" class="link" onClick={() => unfold(run.group ?? '')}>
          {Math.min(...numbers)}–{Math.max(...numbers)}
        </button>
      </td>
      <td>
        <b>{run.program}</b> <span class="not-phone mono faint">{run.revision ?? ''}</span>
      </td>
      {hasScenario && <td class="wide-only">{run.scenario ?? ''}</td>}
      <td class="wide-only soft">{periodText(run)}</td>
      <td class="wide-only r n">{seeds.length} seeds</td>
      <td class="wide-only faint">median</td>
      <td class="r">
        <Gain of={group.profitLoss} />
      </td>
      <td class="not-phone r n">{sharpeText(group.sharpe)}</td>
      <td class="not-phone r n">{fallText(group.maxDrawdown)}</td>
      <td class="wide-only r n of-sim">
        {run.faults_met} / {run.faults_planned}
      </td>
      <td class="wide-only r n soft">{tookText(took)}</td>
      <td class="not-phone r mono faint">{nearText(run.started_at, Date.now())}</td>
    </tr>
  )
}
