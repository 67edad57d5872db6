import { useSignal } from '@preact/signals'
import type { ServerRun } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { go, hrefOf } from '../../router.ts'
import { isOperator } from '../../session/session.ts'
import { shownVerdict } from './run-words.tsx'
import { followRuns, openFile, runList, VIEWER_FILE } from './runs-data.ts'
import { CompareLink, type RunRow, RunsTable, useSelection } from './runs-table.tsx'

const COMMAND = 'quipu run --url URL --scenario flash-crash -- python3 bot.py'
const SUMMARY_MAX = 40

/** The runs of the server. */
export function RunsList(): JSX.Element {
  useEffect(() => followRuns(() => void runList.read()), [isOperator.value])
  return (
    <>
      <div class="runs-head">
        <h1>Runs and drills</h1>
        <span class="soft">{countText(runList.value.value)}</span>
        <OpenFile />
      </div>
      {runList.value.value === undefined && !runList.problem.value ? (
        <div class="card">
          <Loading rows={8} />
        </div>
      ) : (
        <Shown of={runList} what="the runs">
          {(runs) => (runs.length === 0 ? <NoRuns /> : <Runs of={runs} />)}
        </Shown>
      )}
    </>
  )
}

const countText = (runs: readonly ServerRun[] | undefined): string =>
  runs === undefined ? '' : `${runs.length} ${runs.length === 1 ? 'run' : 'runs'} · machine time`

const NoRuns = (): JSX.Element => (
  <section class="card" aria-label="Runs">
    <Empty icon="runs" title="No run is stored on this server">
      Run your bot from a terminal. Its result, requests and output appear here.
      <br />
      <code>{COMMAND}</code> <Copy text={COMMAND}>Copy the command</Copy>
    </Empty>
  </section>
)

const filters = { all: 'All', failed: 'Failed', running: 'Running' } as const
type Filter = keyof typeof filters

function Runs({ of: runs }: { readonly of: readonly ServerRun[] }): JSX.Element {
  const filter = useSignal<Filter>('all')
  const program = useSignal('')
  const selection = useSelection()
  const shown = runs.filter(
    (run) =>
      (filter.value === 'all' || shownVerdict(run) === filter.value) &&
      (program.value === '' || run.program === program.value),
  )
  return (
    <>
      <RunsSummary of={runs} />
      <section class="card" aria-label="Runs">
        <header>
          <div class="filters">
            {(Object.keys(filters) as Filter[]).map((name) => (
              <button
                key={name}
                type="button"
                class="chip"
                aria-pressed={filter.value === name}
                onClick={() => {
                  filter.value = name
                }}
              >
                {filters[name]} <b>{name === 'all' ? runs.length : countOf(runs, name)}</b>
              </button>
            ))}
            <select
              aria-label="Program"
              value={program.value}
              onChange={({ currentTarget }) => {
                program.value = currentTarget.value
              }}
            >
              <option value="">Any program</option>
              {[...new Set(runs.map((run) => run.program))].sort().map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
          <CompareLink selected={selection.selected} />
        </header>
        <RunsTable rows={rowsOfRuns(shown)} {...selection} />
      </section>
    </>
  )
}

const countOf = (runs: readonly ServerRun[], verdict: string): number =>
  runs.filter((run) => shownVerdict(run) === verdict).length

/** The seeds of one command are one row. */
function rowsOfRuns(runs: readonly ServerRun[]): readonly RunRow[] {
  const groups = Map.groupBy(runs, ({ group, id }) => group ?? id)
  return [...groups.values()].flatMap((seeds) => (seeds[0] ? [{ run: seeds[0], seeds }] : []))
}

/** The last runs as bars: the height is the time that they took. */
function RunsSummary({ of: runs }: { readonly of: readonly ServerRun[] }): JSX.Element {
  const ended = runs.filter((run) => shownVerdict(run) !== 'running').slice(0, SUMMARY_MAX)
  const passed = ended.filter(({ verdict }) => verdict === 'passed' || verdict === 'warning')
  const longest = Math.max(1, ...ended.map(({ took_ms: ms }) => ms))
  const reasons = new Map<string, number>()
  for (const { verdict, kind, reason } of ended) {
    // The reason of drills is how many failed, which counts nothing beside another run.
    const what = kind === 'drill' ? 'drills' : reason
    if (verdict === 'failed' && what !== '') reasons.set(what, (reasons.get(what) ?? 0) + 1)
  }
  const most = [...reasons].sort((x, y) => y[1] - x[1]).slice(0, 3)
  return (
    <section class="card runs-summary" aria-label="The last runs">
      <div>
        <h2 class="small soft">Last {ended.length} finished runs</h2>
        <div class="bars" role="img" aria-label={`${passed.length} of ${ended.length} passed`}>
          {[...ended].reverse().map(({ id, took_ms: ms, verdict }) => (
            <i key={id} class={verdict} style={{ height: `${20 + (80 * ms) / longest}%` }} />
          ))}
        </div>
      </div>
      <div>
        <h2 class="small soft">Passed</h2>
        <b class="n big">
          {passed.length} of {ended.length}
        </b>
      </div>
      <div>
        <h2 class="small soft">What fails most</h2>
        <span>
          {most.length === 0
            ? 'nothing'
            : most.map(([reason, count], index) => (
                <span key={reason}>
                  {index > 0 && ' · '}
                  {reason} <b>{count}</b>
                </span>
              ))}
        </span>
      </div>
    </section>
  )
}

/** Opens a run file of the viewer, read-only. */
export function OpenFile(): JSX.Element {
  const open = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? []
    input.value = ''
    if (!file) return
    await openFile(file).then(
      () => go(hrefOf('runs', VIEWER_FILE)),
      (error: Error) => toast(`${file.name} was not opened: ${error.message}`),
    )
  }
  return (
    <label class="button right open-file">
      <Icon name="upload" /> Open a run file
      <input
        type="file"
        class="hidden-text"
        accept=".quipu-run"
        onChange={({ currentTarget }) => void open(currentTarget)}
      />
    </label>
  )
}
