import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { areStepsHidden, hideSteps } from '../../live/first-steps.ts'
import { Icon } from '../../parts/icon.tsx'
import { hrefOf } from '../../router.ts'
import { worldName } from '../../session/selection.ts'
import { isAuditor } from '../../session/session.ts'
import './first-card.css'
import {
  areAllDone,
  areStepsKnown,
  doneCount,
  followSteps,
  homeWorld,
  nextStep,
  viewerSteps,
} from './steps-state.ts'

const titles = {
  order: 'Place your first order',
  crash: 'Crash the market',
  why: 'Ask why an order did not fill',
  fork: 'Fork the day',
  bot: 'Point your bot here',
} as const

/** The first steps in one line, above the workspace of the home world until all are done or the viewer hides them. */
export function FirstCard(): JSX.Element | null {
  const isWanted =
    !areStepsHidden.value && !areAllDone.value && !isAuditor.value && worldName.value === homeWorld.value
  useEffect(() => (isWanted ? followSteps() : undefined), [isWanted])
  // What happened before is read first, so that a step is not asked for that was done.
  const next = nextStep.value
  if (!isWanted || !areStepsKnown.value || next === undefined) return null
  return (
    <section class="card first-card" aria-label="First steps">
      <b class="n">
        {doneCount.value} of {viewerSteps.value.length}
      </b>
      <div class="meter">
        <i style={{ width: `${(doneCount.value / viewerSteps.value.length) * 100}%` }} />
      </div>
      <span class="cut-text">
        <span class="soft wide-only">Next:</span> {titles[next]}
      </span>
      <a class="button small right" href={hrefOf('first')}>
        First steps
      </a>
      <button
        type="button"
        class="icon-button"
        aria-label="Hide the first steps"
        onClick={() => hideSteps(true)}
      >
        <Icon name="close" />
      </button>
    </section>
  )
}
