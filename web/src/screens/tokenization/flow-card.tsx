import type { JSX } from 'preact'
import { durationText } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import { Card } from '../../parts/card.tsx'
import { Shown } from '../../parts/shown.tsx'
import { requests } from './live-requests.ts'
import { durationOf, medians, type Request } from './request-steps.ts'
import { path, type State, titleOf } from './states.table.ts'

/** One state of the diagram. */
type Knot = {
  readonly state: State
  readonly count: number
  readonly note: string
  readonly look: 'done' | 'waits' | 'rejected' | 'none'
}

/** How many requests are in each state, and how long the steps take. */
export function FlowCard(): JSX.Element {
  const mints = requests.value.value?.filter(({ type }) => type === 'mint').length
  return (
    <Card
      title="Where requests are now"
      class="flow-card"
      beside={
        <span class="right faint small wide-only">
          median time of each step{mints !== undefined && ` · ${mints} ${mints === 1 ? 'mint' : 'mints'}`}
        </span>
      }
    >
      <Shown of={requests} what="the requests" rows={3}>
        {(all) => {
          const knots = knotsOf(all)
          return (
            <>
              <Diagram knots={knots} times={medians(all)} />
              <VerticalCord knots={knots} times={medians(all)} />
            </>
          )
        }}
      </Shown>
    </Card>
  )
}

function knotsOf(all: readonly Request[]): readonly Knot[] {
  const states: readonly State[] = [...path.map(({ state }) => state), 'rejected']
  return states.map((state) => {
    const here = all.filter((one) => one.state === state)
    const count = here.length
    if (count === 0) return { state, count, note: '', look: 'none' }
    if (state === 'completed') return { state, count, note: '', look: 'done' }
    if (state === 'rejected') return { state, count, note: returnedNote(here), look: 'rejected' }
    return { state, count, note: waitNote(here, state), look: 'waits' }
  })
}

const returnedNote = (rejected: readonly Request[]): string =>
  rejected.some(({ steps }) => steps.some(({ state }) => state === 'transferred')) ? 'shares came back' : ''

function waitNote(waiting: readonly Request[], state: State): string {
  const held = waiting.filter(({ isHeld }) => isHeld).length
  if (held > 0) return `${held} held`
  const now = nowMs.value ?? Date.now()
  const longest = durationText(Math.max(...waiting.map((one) => durationOf(one, now))))
  return state === 'confirmed' ? `no tokens for ${longest}` : `for ${longest}`
}

const stepText = (ms: number | undefined): string =>
  ms === undefined ? '' : ms < 1000 ? 'under 1 s' : durationText(ms)

const summaryOf = (knots: readonly Knot[]): string =>
  `States of requests: ${knots
    .map(({ state, count, note }) => `${titleOf(state)} ${count}${note === '' ? '' : ` (${note})`}`)
    .join(', ')}.`

type DrawnProps = { readonly knots: readonly Knot[]; readonly times: ReadonlyMap<State, number> }

const LEFT = 70
const STEP = 190
const LINE = 36
const BELOW = 128

function Diagram({ knots, times }: DrawnProps): JSX.Element {
  const x = (index: number) => LEFT + index * STEP
  const [rejectedX, transferredX] = [x(4), x(3)]
  return (
    <div class="flow wide-only">
      <svg viewBox="0 0 1090 188" role="img" aria-label={summaryOf(knots)}>
        <path class="edge" d={`M${x(0)} ${LINE}H${x(5)}`} />
        <path
          class="edge other"
          d={`M${transferredX + 13} ${LINE + 13}C${transferredX + 70} ${LINE + 56} ${rejectedX - 100} ${BELOW} ${rejectedX - 26} ${BELOW}`}
        />
        {path.slice(0, -1).map(({ state }, index) => (
          <text key={state} class="step-time" x={x(index) + STEP / 2} y={LINE - 10}>
            {stepText(times.get(state))}
          </text>
        ))}
        {knots.map((knot, index) => (
          <KnotMark
            key={knot.state}
            knot={knot}
            x={knot.state === 'rejected' ? rejectedX : x(index)}
            y={knot.state === 'rejected' ? BELOW : LINE}
          />
        ))}
      </svg>
    </div>
  )
}

type MarkProps = { readonly knot: Knot; readonly x: number; readonly y: number }

const KnotMark = ({ knot: { state, count, note, look }, x, y }: MarkProps): JSX.Element => (
  <g class={`knot-mark ${look}`} transform={`translate(${x} ${y})`}>
    <circle r="17" />
    <text class="count" y="5">
      {count}
    </text>
    <text y="37">{titleOf(state)}</text>
    <text class="note-text" y="52">
      {note}
    </text>
  </g>
)

const cordLook = { done: 'event', waits: 'event waits', rejected: 'refused', none: 'check' } as const

/** The same on a phone. */
const VerticalCord = ({ knots, times }: DrawnProps): JSX.Element => (
  <ol class="cord body phone-only">
    {knots.map(({ state, count, note, look }) => {
      const time = stepText(times.get(state))
      return (
        <li key={state} class={cordLook[look]}>
          <div class="when">
            <b>{titleOf(state)}</b>
            <time>{count === 0 ? 'none' : count}</time>
          </div>
          {(note !== '' || time !== '') && (
            <p>
              {note}
              {note !== '' && time !== '' && ' · '}
              {time !== '' && <span class="faint">next step {time}</span>}
            </p>
          )}
        </li>
      )
    })}
  </ol>
)
