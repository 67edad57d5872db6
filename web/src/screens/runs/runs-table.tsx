import { useSignal } from '@preact/signals'
import type { ServerRun } from '@quipu/sdk'
import { groupOf } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { nearText } from '../../format/times.ts'
import { onRow } from '../../parts/row-click.ts'
import { Spark } from '../../parts/spark.tsx'
import { go, hrefOf } from '../../router.ts'
import { fallText, Gain, periodText, sharpeText, tookText, Verdict } from './run-words.tsx'
import { GROUP_ITEM } from './runs-data.ts'

export type RunRow = { readonly run: ServerRun; readonly seeds: readonly ServerRun[] }

type TableProps = {
  readonly rows: readonly RunRow[]
  readonly selected: readonly string[]
  readonly select: (id: string) => void
  /** The runs are seeds of one command: what all of them have is not shown, and the seed always is. */
  readonly isGroup?: boolean
}

/** Up to two runs that are compared. */
export function useSelection(): Pick<TableProps, 'selected' | 'select'> {
  const selected = useSignal<readonly string[]>([])
  const select = (id: string): void => {
    const others = selected.value.filter((one) => one !== id)
    selected.value = others.length < selected.value.length ? others : [...others, id].slice(-2)
  }
  return { selected: selected.value, select }
}

export function CompareLink({ selected: [a, b] }: Pick<TableProps, 'selected'>): JSX.Element {
  return a !== undefined && b !== undefined ? (
    <a class="button small main right" href={hrefOf('runs', undefined, { a, b })}>
      Compare the two
    </a>
  ) : (
    <span class="right faint small">select two to compare</span>
  )
}

/** Runs as the list of a CI. */
export const RunsTable = ({ rows, isGroup = false, ...others }: TableProps): JSX.Element => {
  // A column without a value says nothing.
  const hasScenario = !isGroup && rows.some(({ run }) => run.scenario !== undefined)
  const choice = { ...others, hasScenario, isGroup }
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
            {!isGroup && <th>Program</th>}
            {hasScenario && <th class="wide-only">Scenario</th>}
            {!isGroup && <th class="wide-only">Period</th>}
            <th class={seedClass(isGroup)}>Seed</th>
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

type Choice = Omit<TableProps, 'rows' | 'isGroup'> & {
  readonly hasScenario: boolean
  readonly isGroup: boolean
}

const seedClass = (isGroup: boolean): string => (isGroup ? 'r n' : 'wide-only r n')

function OneRow({
  run,
  selected,
  select,
  hasScenario,
  isGroup,
}: Choice & { readonly run: ServerRun }): JSX.Element {
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
      {!isGroup && (
        <td>
          <b>{program}</b> <span class="not-phone mono faint">{revision ?? ''}</span>
        </td>
      )}
      {hasScenario && <td class="wide-only">{scenario ?? ''}</td>}
      {!isGroup && <td class="wide-only soft">{periodText(run)}</td>}
      <td class={seedClass(isGroup)}>{seed}</td>
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

/** `12–15`: the numbers of the runs of a group. */
export function numbersText(seeds: readonly ServerRun[]): string {
  const numbers = seeds.map(({ number }) => number)
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)]
  return first === last ? String(first) : `${first}–${last}`
}

/** How many seeds of a group have passed. */
export function GroupVerdict({ seeds }: { readonly seeds: readonly ServerRun[] }): JSX.Element {
  const { passed } = groupOf(seeds)
  const failed = seeds.length - passed
  return (
    <>
      <span class={`verdict ${failed > 0 ? 'warning' : 'passed'}`}>
        {passed} of {seeds.length} passed
      </span>
      {failed > 0 && <span class="aside">{failed === 1 ? 'one seed' : `${failed} seeds`} failed</span>}
    </>
  )
}

function GroupRow({
  row: { run, seeds },
  hasScenario,
}: Pick<Choice, 'hasScenario'> & { readonly row: RunRow }): JSX.Element {
  const group = groupOf(seeds)
  const href = hrefOf('runs', `${GROUP_ITEM}${run.group}`)
  const took = seeds.reduce((sum, one) => sum + one.took_ms, 0)
  return (
    <tr data-href={href} onClick={onRow(() => go(href))}>
      <td />
      <td>
        <GroupVerdict seeds={seeds} />
      </td>
      <td class="mono soft">
        <a class="link" href={href}>
          {numbersText(seeds)}
        </a>
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
