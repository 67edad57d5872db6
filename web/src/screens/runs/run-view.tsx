import { useSignal } from '@preact/signals'
import { runPage } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { nearText } from '../../format/times.ts'
import { Icon } from '../../parts/icon.tsx'
import { ask } from '../../parts/question.tsx'
import { toast } from '../../parts/toasts.tsx'
import { go, hrefOf, itemTitle } from '../../router.ts'
import { isOperator } from '../../session/session.ts'
import { forkRun } from './fork-run.ts'
import { RunCurves } from './run-curves.tsx'
import { RunDrills } from './run-drills.tsx'
import { RunLog } from './run-log.tsx'
import { RunScrubber } from './run-scrubber.tsx'
import { RunStatisticsCard } from './run-statistics.tsx'
import { RunTrades } from './run-trades.tsx'
import { periodText, tookText, Verdict } from './run-words.tsx'
import { deleteRun, download, type OpenedRun, pinRun, VIEWER_FILE } from './runs-data.ts'
import { type Scrub, scrubOf } from './scrub.ts'

/** One run, with one position that moves its chart, its requests and its output. */
export function RunView({ opened }: { readonly opened: OpenedRun }): JSX.Element {
  const { file } = opened
  const scrub = useMemo(() => scrubOf(file), [file])
  const hasDrills = file.parts.drill.length > 0
  const title = titleOf(opened)
  useLayoutEffect(() => {
    itemTitle.value = { item: opened.stored?.id ?? VIEWER_FILE, title }
  }, [title])
  return (
    <div class="run-page">
      <RunHead opened={opened} scrub={scrub} />
      {hasDrills ? (
        <div class="run-grid with-drills">
          <RunDrills scrub={scrub} />
          <RunLog scrub={scrub} />
          <RunCurves scrub={scrub} />
          <RunTrades file={file} />
          <RunStatisticsCard file={file} />
        </div>
      ) : (
        <div class="run-grid">
          <RunCurves scrub={scrub} />
          <RunTrades file={file} />
          <RunLog scrub={scrub} />
          <RunStatisticsCard file={file} />
        </div>
      )}
      <RunScrubber scrub={scrub} />
    </div>
  )
}

const titleOf = ({ stored }: OpenedRun): string => (stored ? `Run ${stored.number}` : 'Run file')

function RunHead({ opened, scrub }: { readonly opened: OpenedRun; readonly scrub: Scrub }): JSX.Element {
  const { file, bytes, stored } = opened
  const { run } = file
  const name = stored ? `run-${stored.number}` : `run-${run.id.slice(0, 8)}`
  return (
    <div class="runs-head">
      <a class="link phone-only" href={hrefOf('runs')}>
        Runs
      </a>
      <h1>{titleOf(opened)}</h1>
      <Verdict run={run} />
      {run.reason !== '' && <span class="small soft">{run.reason}</span>}
      <span class="chip outlined">{run.program}</span>
      {run.scenario !== undefined && <span class="chip outlined">scenario {run.scenario}</span>}
      <span class="chip outlined">{periodText(run)}</span>
      <span class="chip outlined">seed {run.seed}</span>
      <span class="faint small">
        {run.revision === undefined ? '' : `commit ${run.revision} · `}
        {tookText(run.took_ms)}
        {run.is_cut && ' · cut: the output or the requests were too long'}
      </span>
      <div class="actions right">
        {stored && <StoredActions opened={opened} />}
        <button type="button" class="button" onClick={() => download(bytes, `${name}.quipu-run`)}>
          <Icon name="download" /> Share as a file
        </button>
        <button type="button" class="button" onClick={() => download(runPage(file), `${name}.html`)}>
          <Icon name="download" /> As HTML
        </button>
        {isOperator.value && scrub.drill.value === undefined && <ForkButton scrub={scrub} />}
      </div>
    </div>
  )
}

/** Opens a world at the position of the scrubber. */
function ForkButton({ scrub: { file, atMs } }: { readonly scrub: Scrub }): JSX.Element {
  const isForking = useSignal(false)
  const when = nearText(atMs.value, 0)
  const fork = async (): Promise<void> => {
    isForking.value = true
    try {
      const { world, isRepeated } = await forkRun(file, atMs.peek())
      const how = isRepeated ? ', which got the orders of the run again, without its faults' : ''
      toast(`${file.run.program} at ${when}. You see the world ${world}${how}.`)
      go(hrefOf('workspace', undefined, { world, account: undefined }))
    } catch (error) {
      toast(`No world was opened: ${(error as Error).message}`)
    } finally {
      isForking.value = false
    }
  }
  return (
    <button
      data-changes
      type="button"
      class="button sim"
      disabled={isForking.value}
      onClick={() => void fork()}
    >
      <Icon name="fork" /> {isForking.value ? 'Opening a world…' : `Fork at ${when}`}
    </button>
  )
}

function StoredActions({ opened: { stored } }: { readonly opened: OpenedRun }): JSX.Element | null {
  if (!stored) return null
  const remove = async (): Promise<void> => {
    const isSure = await ask({
      title: `Delete run ${stored.number}?`,
      effect: 'Its record and its file are deleted. Files that you shared stay.',
      keep: 'Keep it',
      confirm: `Delete run ${stored.number}`,
    })
    if (!isSure) return
    await deleteRun(stored)
    go(hrefOf('runs'))
  }
  return (
    <>
      <button
        data-changes
        type="button"
        class="button"
        onClick={() => void pinRun(stored).then(() => go(hrefOf('runs')))}
      >
        {stored.pinned ? 'Unpin' : 'Pin'}
      </button>
      <button data-changes type="button" class="button" onClick={() => void remove()}>
        <Icon name="trash" /> Delete
      </button>
    </>
  )
}
