import type { JSX } from 'preact'
import { durationText } from '../../format/times.ts'
import type { Request } from './request-steps.ts'
import { indexOf, path, titleOf } from './states.table.ts'

export const typeText = ({ type }: Pick<Request, 'type'>): string => (type === 'mint' ? 'Mint' : 'Redeem')

export const tookText = (ms: number): string => (ms < 1000 ? 'under 1 s' : durationText(ms))

/** The word for a state, with the shape of the status. */
export function RequestStatus({ request }: { readonly request: Request }): JSX.Element {
  const [look, text] = wordsOf(request)
  return (
    <span class={`status ${look}`} title={`${request.status}, ${request.state}`}>
      {text}
    </span>
  )
}

function wordsOf({ state, isHeld, isLate }: Request): readonly [string, string] {
  if (isHeld) return ['held', 'Held']
  if (state === 'completed') return ['filled', 'Completed']
  if (state === 'rejected') return ['refused', 'Rejected']
  if (isLate) return ['held', 'Late']
  return ['working', state === 'confirmed' ? 'No tokens yet' : titleOf(state)]
}

/** The cord of a row: a knot per state. */
export function MiniCord({ request }: { readonly request: Request }): JSX.Element {
  const { state, steps, isHeld } = request
  const isRejected = state === 'rejected'
  const reached = isRejected ? indexOf(steps.at(-2)?.state ?? 'received') : indexOf(state)
  return (
    <span
      class="mini-cord"
      role="img"
      aria-label={`${titleOf(state)}${isRejected ? ' after' : ','} step ${reached + 1} of ${path.length}`}
    >
      {path.map(({ state: one }, index) => (
        <i key={one} class={knotClass(index, reached, isRejected, isHeld)} />
      ))}
    </span>
  )
}

function knotClass(index: number, reached: number, isRejected: boolean, isHeld: boolean): string {
  if (isRejected && index === reached + 1) return 'no'
  if (isHeld && index === reached) return 'on held'
  return index <= reached ? 'on' : ''
}
