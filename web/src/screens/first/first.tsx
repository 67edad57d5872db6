import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { areStepsHidden, DEMO, doneSteps, hideSteps } from '../../live/first-steps.ts'
import { LoadingNumber } from '../../parts/states.tsx'
import { hrefOf, place } from '../../router.ts'
import { worlds } from '../../session/selection.ts'
import { isAuditor, isOperator } from '../../session/session.ts'
import { makeDemoWorld } from './demo.ts'
import { DemoCard } from './demo-card.tsx'
import './first.css'
import { MainCard } from './main-card.tsx'
import { NextCards } from './next-cards.tsx'
import { ReceivedCard } from './received-card.tsx'
import { Step } from './step.tsx'
import { areAllDone, areStepsKnown, doneCount, followSteps, nextStep, viewerSteps } from './steps-state.ts'

/** The first five minutes: five steps that turn green by what happened, in any order. */
export default function First(): JSX.Element {
  useEffect(() => followSteps(), [])
  const isAsked = place.value.item === DEMO
  const isKnown = worlds.value !== undefined
  useEffect(() => {
    if (isAsked && isKnown && !isAuditor.peek()) void makeDemoWorld()
  }, [isAsked, isKnown])
  const steps = viewerSteps.value
  const share = (doneCount.value / steps.length) * 100
  return (
    <>
      <div class="first">
        <section class="card first-steps" aria-labelledby="first-title">
          <div class="first-head">
            <div>
              <h1 id="first-title">Your broker is running.</h1>
              <p class="soft">
                {steps.length === 5 ? 'Five' : 'Three'} steps show what Quipu does. Each takes less than a
                minute.
              </p>
            </div>
            <div class="first-count">
              {areStepsKnown.value ? (
                <b class="n">
                  {doneCount.value} of {steps.length}
                </b>
              ) : (
                <LoadingNumber width="3rem" />
              )}
              <div class="meter">
                <i style={{ width: `${share}%` }} />
              </div>
            </div>
          </div>
          <ol class="cord steps">
            {steps.map((name, index) => (
              <Step
                key={name}
                name={name}
                number={index + 1}
                done={doneSteps.value[name]}
                isNext={nextStep.value === name}
              />
            ))}
          </ol>
          {areAllDone.value && <NextCards />}
        </section>
        <aside class="stack" aria-label="Your server">
          <ReceivedCard />
          {isOperator.value && <DemoCard />}
          <MainCard />
        </aside>
      </div>
      <Foot />
    </>
  )
}

const Foot = (): JSX.Element => (
  <p class="first-foot">
    <span>
      <kbd>?</kbd> all keys
    </span>
    <span>
      <kbd>Ctrl K</kbd> every command
    </span>
    {areStepsHidden.value ? (
      <button type="button" class="link" onClick={() => hideSteps(false)}>
        Show this list in the workspace
      </button>
    ) : (
      <button type="button" class="link" onClick={() => hideSteps(true)}>
        Hide this list in the workspace
      </button>
    )}
    <a class="link" href={hrefOf('workspace')}>
      Workspace
    </a>
  </p>
)
