import { runPage } from '@quipu/sdk/runs'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { ask } from '../../parts/question.tsx'
import { go, hrefOf } from '../../router.ts'
import { RunCurves } from './run-curves.tsx'
import { RunDrills } from './run-drills.tsx'
import { RunLog } from './run-log.tsx'
import { RunScrubber } from './run-scrubber.tsx'
import { RunTrades } from './run-trades.tsx'
import { periodText, tookText, Verdict } from './run-words.tsx'
import { deleteRun, download, type OpenedRun, pinRun } from './runs-data.ts'
import { scrubOf } from './scrub.ts'

/** One run, with one position that moves its chart, its requests and its output. */
export function RunView({ opened }: { readonly opened: OpenedRun }): JSX.Element {
  const { file } = opened
  const scrub = useMemo(() => scrubOf(file), [file])
  const hasDrills = file.parts.drill.length > 0
  return (
    <div class="run-page">
      <RunHead opened={opened} />
      <div class={`run-grid ${hasDrills ? 'with-drills' : ''}`}>
        <RunCurves scrub={scrub} />
        <RunTrades file={file} />
        <RunLog scrub={scrub} />
        {hasDrills && <RunDrills scrub={scrub} />}
      </div>
      <RunScrubber scrub={scrub} />
    </div>
  )
}

function RunHead({ opened }: { readonly opened: OpenedRun }): JSX.Element {
  const { file, bytes, stored } = opened
  const { run } = file
  const name = stored ? `run-${stored.number}` : `run-${run.id.slice(0, 8)}`
  return (
    <div class="runs-head">
      <a class="link" href={hrefOf('runs')}>
        Runs
      </a>
      <h1>{stored ? `Run ${stored.number}` : 'Run file'}</h1>
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
      </div>
    </div>
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
