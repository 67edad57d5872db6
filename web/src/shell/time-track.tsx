import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { longDayText, minuteText, secondText } from '../format/times.ts'
import { clock, nowMs, timeOf } from '../live/clock.ts'
import { faultTitle, worldFaults } from '../live/faults.ts'
import { worldEvents } from '../live/market-events.ts'
import { world } from '../session/selection.ts'
import { advance } from './clock-actions.ts'
import { putBack, rewind, rewindTarget } from './rewind.ts'
import { BranchMark, RewindCard } from './rewind-card.tsx'
import { marksOf, type Span, shareOf, spanOf, ticksOf } from './time-marks.ts'
import { useWidth } from './use-width.ts'

/** Where the viewer drags the clock to. */
const target = signal<number | undefined>(undefined)

const MINUTE_MS = 60_000
const SECOND_MS = 1000
const percent = (share: number): string => `${(share * 100).toFixed(3)}%`

/** The session as a cord: past solid, future hatched, market events as knots. */
export function TimeTrack(): JSX.Element | null {
  const track = useRef<HTMLDivElement>(null)
  const width = useWidth(track)
  const [state, now] = [clock.value, nowMs.value]
  const span = state && now !== undefined ? spanOf(state, now, world.value?.hours === 'always') : undefined
  const refs = useMovingNow(span)
  if (!span || now === undefined) return null
  const marks = marksOf(worldEvents.value, span, now, width)
  const begun = marks.filter(({ fromMs }) => fromMs <= now).length
  const events =
    marks.length === 0 ? 'no market events' : `${begun} of ${marks.length} market events have happened`
  const goal = target.value
  const at = (ms: number) => percent(shareOf(span, ms))
  const back = rewindTarget.value
  return (
    <div class="track-area">
      <div
        ref={track}
        class="track"
        role="slider"
        tabIndex={0}
        aria-label={`Session of ${longDayText(span.toMs)}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(shareOf(span, goal ?? now) * 100)}
        aria-valuetext={
          goal === undefined
            ? `${secondText(now)}, ${events}`
            : `${goal < now ? 'Rewind' : 'Go'} to ${secondText(goal)}: press Enter`
        }
        onPointerDown={(event) => startDrag(event, span)}
        onKeyDown={(event) => moveByKey(event, span)}
        onBlur={() => (target.value = undefined)}
      >
        <div class="rail" />
        <div class="past" ref={refs.past} />
        {ticksOf(span, width).map(({ at: time, label }, index) => (
          <span key={time} class={`tick ${index === 0 ? 'first' : ''}`} style={{ left: at(time) }}>
            {label}
          </span>
        ))}
        {marks.map((mark) => (
          <span
            key={`${mark.fromMs} ${mark.label}`}
            class={`${mark.toMs === undefined ? 'knot' : 'span'} ${mark.isDone || mark.isActive ? '' : 'pending'}`}
            style={{
              left: at(mark.fromMs),
              ...(mark.toMs !== undefined && {
                width: percent(shareOf(span, mark.toMs) - shareOf(span, mark.fromMs)),
              }),
            }}
            title={`${mark.label}, ${minuteText(mark.fromMs)}${
              mark.toMs === undefined ? '' : ` to ${minuteText(mark.toMs)}`
            }`}
          />
        ))}
        {marks.map(
          ({ flagLeft, fromMs, label }) =>
            flagLeft !== undefined && (
              <span key={`${fromMs} ${label}`} class="flag" style={{ left: `${flagLeft}px` }}>
                {label}
              </span>
            ),
        )}
        {worldFaults.value.map((rule) =>
          rule.consumed_at
            .map((time) => Date.parse(time))
            .filter((time) => time >= span.fromMs && time <= span.toMs)
            .map((time, index) => (
              <span
                key={`${rule.id} ${index}`}
                class="fault"
                style={{ left: at(time) }}
                title={`Fault ${faultTitle(rule)}, ${secondText(time)}`}
              />
            )),
        )}
        <span class="now" ref={refs.now} />
        {back !== undefined && <BranchMark share={shareOf(span, back)} />}
        {goal !== undefined && goal >= now && (
          <span class="goal" style={{ left: at(goal) }}>
            <b>{secondText(goal)}</b>
          </span>
        )}
      </div>
      {back !== undefined && <RewindCard share={shareOf(span, back)} isDragging={goal !== undefined} />}
    </div>
  )
}

const isCalm = matchMedia('(prefers-reduced-motion: reduce)')

/** Moves the mark of the present once a frame, without drawing the component again. */
function useMovingNow(span: Span | undefined) {
  const now = useRef<HTMLSpanElement>(null)
  const past = useRef<HTMLDivElement>(null)
  const [fromMs, toMs] = [span?.fromMs ?? 0, span?.toMs ?? 0]
  useLayoutEffect(() => {
    let frame = 0
    const draw = () => {
      const state = clock.peek()
      if (!state || toMs === 0) return
      const left = percent(shareOf({ fromMs, toMs }, timeOf(state)))
      if (now.current) now.current.style.left = left
      if (past.current) past.current.style.width = left
      if (state.speed > 0 && !isCalm.matches) frame = requestAnimationFrame(draw)
    }
    draw()
    return () => cancelAnimationFrame(frame)
  }, [fromMs, toMs, clock.value?.speed, clock.value?.speed === 0 || isCalm.matches ? nowMs.value : 0])
  return { now, past }
}

/** A time after the present moves the clock; one before it is a branch. */
function chooseTarget(goal: number): void {
  target.value = goal
  rewindTarget.value = goal < (nowMs.peek() ?? goal) - SECOND_MS ? goal : undefined
}

const LONG_PRESS_MS = 400

/** A finger goes back only after a long press, because a swipe should not offer a branch. */
function longPress({ pointerType }: PointerEvent) {
  let isLong = pointerType !== 'touch'
  const timer = setTimeout(() => {
    isLong = true
    navigator.vibrate?.(10)
  }, LONG_PRESS_MS)
  return { isShort: () => !isLong, end: () => clearTimeout(timer) }
}

function startDrag(event: PointerEvent, span: Span): void {
  const track = event.currentTarget as HTMLElement
  if (event.button !== 0) return
  track.setPointerCapture(event.pointerId)
  putBack()
  const press = longPress(event)
  const move = ({ clientX }: PointerEvent) => {
    const { left, width } = track.getBoundingClientRect()
    const share = Math.min(Math.max((clientX - left) / width, 0), 1)
    const wanted = Math.round((span.fromMs + share * (span.toMs - span.fromMs)) / SECOND_MS) * SECOND_MS
    chooseTarget(press.isShort() ? Math.max(wanted, nowMs.peek() ?? wanted) : wanted)
  }
  const end = (last: PointerEvent) => {
    press.end()
    for (const [name, listener] of [
      ['pointermove', move],
      ['pointerup', end],
      ['pointercancel', end],
    ] as const)
      track.removeEventListener(name, listener)
    if (last.type === 'pointerup') drop()
    else {
      target.value = undefined
      putBack()
    }
  }
  track.addEventListener('pointermove', move)
  track.addEventListener('pointerup', end)
  track.addEventListener('pointercancel', end)
  move(event)
}

/** Advances to the target. A target in the past asks first, because a branch begins there. */
function drop(): void {
  const [goal, now] = [target.peek(), nowMs.peek()]
  target.value = undefined
  if (goal === undefined || now === undefined || Math.abs(goal - now) < SECOND_MS) return putBack()
  if (goal > now) void advance({ to: new Date(goal).toISOString() })
}

/** Arrow keys choose a time, Enter goes there. */
function moveByKey(event: KeyboardEvent, span: Span): void {
  const now = nowMs.peek() ?? span.fromMs
  const from = target.peek() ?? rewindTarget.peek() ?? now
  const step = (event.shiftKey ? 10 : 1) * MINUTE_MS
  const goals: Readonly<Record<string, number>> = {
    ArrowRight: from + step,
    ArrowUp: from + step,
    ArrowLeft: from - step,
    ArrowDown: from - step,
    Home: span.fromMs,
    End: span.toMs,
  }
  const goal = goals[event.key]
  if (goal !== undefined) chooseTarget(Math.min(Math.max(goal, span.fromMs), span.toMs))
  else if (event.key === 'Enter' && target.peek() !== undefined) drop()
  else if (event.key === 'Enter' && rewindTarget.peek() !== undefined) void rewind()
  else if (event.key === 'Escape' && target.peek() !== undefined) {
    target.value = undefined
    putBack()
  } else return
  event.preventDefault()
  event.stopPropagation()
}
