import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { place } from '../../router.ts'
import { CompareRuns } from './compare-runs.tsx'
import { RunGroup } from './run-group.tsx'
import { RunView } from './run-view.tsx'
import { followRuns, GROUP_ITEM, type OpenedRun, openRun } from './runs-data.ts'
import { OpenFile, RunsList } from './runs-list.tsx'
import './runs.css'

/** Runs and drills: the list, one run, the seeds of a command, or two runs beside each other. */
export default function Runs(): JSX.Element {
  const { item, query } = place.value
  const [a, b] = [query.get('a'), query.get('b')]
  if (item === undefined && a !== null && b !== null) return <Opened key={`${a} ${b}`} ids={[a, b]} />
  if (item?.startsWith(GROUP_ITEM)) return <RunGroup key={item} group={item.slice(GROUP_ITEM.length)} />
  return item === undefined ? <RunsList /> : <Opened key={item} ids={[item]} />
}

type State = { readonly runs: readonly (OpenedRun | undefined)[] } | { readonly problem: Error } | undefined

const isOfRunningRun = (run: OpenedRun | undefined): boolean => run?.stored?.verdict === 'running'

/** Reads the runs of the address, and a running one again until it has ended. */
function Opened({ ids }: { readonly ids: readonly string[] }): JSX.Element {
  const [state, setState] = useState<State>()
  const read = (): void => {
    setState(undefined)
    Promise.all(ids.map(openRun)).then(
      (runs) => setState({ runs }),
      (problem: Error) => setState({ problem }),
    )
  }
  useEffect(read, [])
  const isRunning = state !== undefined && 'runs' in state && state.runs.some(isOfRunningRun)
  useEffect(
    () =>
      isRunning
        ? followRuns(
            () =>
              void Promise.all(ids.map(openRun)).then(
                (runs) => setState({ runs }),
                () => undefined,
              ),
          )
        : undefined,
    [isRunning],
  )
  if (state === undefined)
    return (
      <div class="card">
        <Loading rows={8} />
      </div>
    )
  if ('problem' in state) return <Failed what="the run" error={state.problem} retry={read} />
  const [first, second] = state.runs
  if (first && second) return <CompareRuns a={first} b={second} />
  if (first && ids.length === 1) return <RunView opened={first} />
  return (
    <Empty icon="runs" title="No run file is open" actions={<OpenFile />}>
      A run file that you opened is shown until the page is loaded again.
    </Empty>
  )
}
