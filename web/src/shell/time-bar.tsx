import type { JSX } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { longDayText, nearText, secondText } from '../format/times.ts'
import { addKeys } from '../keyboard.ts'
import { type ClockState, clock, nowMs } from '../live/clock.ts'
import { Icon } from '../parts/icon.tsx'
import { axisText } from '../parts/scale.ts'
import { isWorldKnown, worldName } from '../session/selection.ts'
import { isAuditor, isOperator } from '../session/session.ts'
import { chosenSpeed } from './chosen-speed.ts'
import {
  advance,
  chooseSpeed,
  clockProblem,
  forkHere,
  movedByOtherAtMs,
  playOrPause,
  speeds,
  stop,
  watchOtherClients,
} from './clock-actions.ts'
import { followRewind, showWorldBefore, stepBack } from './rewind.ts'
import { Steps } from './time-steps.tsx'
import { TimeTrack } from './time-track.tsx'

/** The clock of a virtual world, at the bottom of every screen. */
export function TimeBar(): JSX.Element | null {
  const state = clock.value
  const isShown =
    isOperator.value &&
    !isAuditor.value &&
    isWorldKnown.value &&
    state?.isVirtual === true &&
    state.world === worldName.value
  useLayoutEffect(() => (isShown ? addKeys('Time', keys) : undefined), [isShown])
  useEffect(watchOtherClients, [])
  useEffect(followRewind, [])
  const hasNotice = clockProblem.value !== undefined
  useLayoutEffect(() => (hasNotice ? addKeys('Time', { Escape: closeNotice }) : undefined), [hasNotice])
  if (!isShown) return null
  return (
    <section class="time-bar" aria-label={`Clock of world ${state.world}`} onClick={releaseFocus}>
      <PlayButton state={state} />
      <fieldset class="choice speeds" aria-label="Speed">
        {speeds.map(({ speed, label }) => (
          <button
            key={speed}
            type="button"
            aria-pressed={(state.speed || chosenSpeed.value) === speed}
            onClick={() => void chooseSpeed(speed)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      {state.advance ? <Advancing state={state} /> : <Steps isOpen={state.isOpen} />}
      <TimeTrack />
      <ClockFace state={state} />
      <Notice />
    </section>
  )
}

/** After a click Space means play again, not the clicked button. */
function releaseFocus({ detail, target }: MouseEvent): void {
  if (detail > 0) (target as Element).closest('button')?.blur()
}

function closeNotice(): void {
  clockProblem.value = undefined
}

const keys = {
  Space: () => void playOrPause(),
  z: stepBack,
  u: showWorldBefore,
  '.': () => void advance({ by: '1m' }),
  ',': () => void advance({ until: 'next_bar' }),
  n: () => void advance({ until: 'next_event' }),
  o: () => void advance({ until: 'next_open' }),
  c: () => void advance({ until: 'next_close' }),
  f: () => void forkHere(),
}

function PlayButton({ state }: { readonly state: ClockState }): JSX.Element {
  const isMoving = state.speed > 0 || state.advance !== undefined
  const label = state.advance
    ? 'Stop the advance (Space)'
    : isMoving
      ? 'Pause the clock (Space)'
      : `Run the clock at ${chosenSpeed.value} times real time (Space)`
  return (
    <button type="button" class="play" aria-label={label} title={label} onClick={() => void playOrPause()}>
      <Icon name={isMoving ? 'pause' : 'play'} />
    </button>
  )
}

const waits: Readonly<Record<string, string>> = {
  next_open: 'to the open',
  next_close: 'to the close',
  next_bar: 'to the next bar',
  next_event: 'to the next event',
  order_end: 'until the order ends',
  idle: 'until nothing is in progress',
}

/** An advance in progress: what it waits for, and its end. */
function Advancing({ state }: { readonly state: ClockState }): JSX.Element {
  const { to, until } = state.advance!
  const isKnown = until !== 'order_end' && until !== 'idle' && until !== 'next_event'
  const goal = until === undefined ? `to ${nearText(to, state.nowMs)}` : waits[until]
  return (
    <div class="steps">
      <span class="advancing" role="status">
        Advancing {goal}
        {isKnown && until !== undefined && `, ${nearText(to, state.nowMs)}`}
      </span>
      <button type="button" class="button event" onClick={() => void stop()}>
        Stop
      </button>
    </div>
  )
}

const OTHER_SHOWN_MS = 8000

function stateText(state: ClockState): string {
  const { speed, rate, advance } = state
  if (advance) return 'advancing'
  if (speed === 0) return 'paused'
  if (speed === speeds.at(-1)!.speed) return `${axisText(rate, 0)}×`
  return rate < speed * 0.9 ? `slowed to ${axisText(rate, rate < 10 ? 1 : 0)}×` : `${speed}×`
}

function ClockFace({ state }: { readonly state: ClockState }): JSX.Element {
  const now = nowMs.value ?? state.nowMs
  const moved = movedByOtherAtMs.value
  useEffect(() => {
    if (moved === undefined) return undefined
    const timer = setTimeout(() => (movedByOtherAtMs.value = undefined), OTHER_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [moved])
  const day = longDayText(now)
  return (
    <div class="clock-face">
      <b>{secondText(now)}</b>
      <span>
        {moved !== undefined && <em role="status">moved by another client · </em>}
        {day.slice(0, -5)}
        <span class="wide-only">
          {day.slice(-5)}
          {moved === undefined && ' · New York'}
        </span>{' '}
        · {stateText(state)}
      </span>
    </div>
  )
}

/** What the viewer must know, above the bar. */
function Notice(): JSX.Element | null {
  const problem = clockProblem.value
  if (!problem) return null
  return (
    <div class="time-notice" role="alert">
      <b>{problem.title}</b>
      <p>{problem.text}</p>
      <div class="actions">
        <button type="button" class="button" onClick={closeNotice}>
          Close
        </button>
      </div>
    </div>
  )
}
