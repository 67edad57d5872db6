import type { ServerRun } from '@quipu/sdk'
import { type SeedStatistics, seedStatistics, zeroSentence } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { gainText } from '../../format/amounts.ts'
import { reading } from '../../live/reading.ts'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { hrefOf, itemTitle } from '../../router.ts'
import { isOperator } from '../../session/session.ts'
import { fallText, Gain, periodText } from './run-words.tsx'
import { followRuns, GROUP_ITEM, runsOfGroup } from './runs-data.ts'
import { CompareLink, GroupVerdict, numbersText, RunsTable, useSelection } from './runs-table.tsx'
import { SeedHistogram } from './seed-histogram.tsx'

/** The runs of one command with several seeds: the distribution of their results, and each of them. */
export function RunGroup({ group }: { readonly group: string }): JSX.Element {
  const seeds = useMemo(() => reading(() => runsOfGroup(group)), [group])
  useEffect(() => followRuns(() => void seeds.read()), [seeds, isOperator.value])
  return (
    <Shown of={seeds} what="the seeds" rows={8}>
      {(runs) =>
        runs[0] ? (
          <Group runs={runs} first={runs[0]} group={group} />
        ) : (
          <Empty icon="runs" title="No run of these seeds is stored on this server" />
        )
      }
    </Shown>
  )
}

type GroupProps = {
  readonly runs: readonly ServerRun[]
  readonly first: ServerRun
  readonly group: string
}

function Group({ runs, first, group }: GroupProps): JSX.Element {
  const statistics = useMemo(() => seedStatistics(runs), [runs])
  const selection = useSelection()
  const title = `${runs.length === 1 ? 'Run' : 'Runs'} ${numbersText(runs)}`
  useLayoutEffect(() => {
    itemTitle.value = { item: `${GROUP_ITEM}${group}`, title }
  }, [group, title])
  const byProfit = runs.toSorted((a, b) => a.profit_loss - b.profit_loss)
  return (
    <div class="run-seeds">
      <div class="runs-head">
        <a class="link phone-only" href={hrefOf('runs')}>
          Runs
        </a>
        <h1>{title}</h1>
        <GroupVerdict seeds={runs} />
        <span class="chip outlined">{first.program}</span>
        <span class="chip outlined">{periodText(first)}</span>
        <span class="chip outlined">
          {runs.length} {runs.length === 1 ? 'seed' : 'seeds'}
        </span>
        {first.revision !== undefined && <span class="faint small">commit {first.revision}</span>}
      </div>
      <Card title="P/L of all seeds">
        <div class="body">
          <p class={`note ${statistics.isDifferentFromZero ? 'tint' : ''}`}>
            <Icon name={statistics.isDifferentFromZero ? 'check' : 'warning'} />
            <span>{zeroSentence(statistics)}</span>
          </p>
          <SeedHistogram profits={runs.map(({ profit_loss: profit }) => profit)} statistics={statistics} />
        </div>
        <Figures of={statistics} />
      </Card>
      <Worst of={statistics.worst} />
      <Card title="Seeds" beside={<CompareLink selected={selection.selected} />}>
        <RunsTable rows={byProfit.map((run) => ({ run, seeds: [run] }))} isGroup {...selection} />
      </Card>
    </div>
  )
}

function Figures({ of }: { readonly of: SeedStatistics }): JSX.Element {
  const { profitLoss, meanBetween, profitable, seeds, maxDrawdown } = of
  const rows: readonly (readonly [name: string, value: JSX.Element | string])[] = [
    ['Median', <Gain of={profitLoss.median} />],
    ['Mean', <Gain of={profitLoss.mean} />],
    ['95 % interval of the mean', `${signed(meanBetween.low)} to ${signed(meanBetween.high)}`],
    ['Worst', <Gain of={profitLoss.min} />],
    ['Best', <Gain of={profitLoss.max} />],
    ['With a profit', `${profitable} of ${seeds}`],
    ['Median drawdown', fallText(maxDrawdown.median)],
    ['Largest drawdown', fallText(maxDrawdown.max)],
  ]
  return (
    <dl class="run-figures">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="n">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const signed = (amount: number): string => gainText(amount.toFixed(2))

/** The seed with the largest loss, and the command that repeats it. */
const Worst = ({ of: run }: { readonly of: ServerRun }): JSX.Element => (
  <Card title="Worst seed">
    <div class="body">
      <p>
        Seed <b>{run.seed}</b> with <Gain of={run.profit_loss} />:{' '}
        <a class="link" href={hrefOf('runs', run.id)}>
          run {run.number}
        </a>
      </p>
      {run.repeat !== undefined && (
        <p class="command">
          <code>{run.repeat}</code> <Copy text={run.repeat}>Copy the command</Copy>
        </p>
      )}
    </div>
  </Card>
)
