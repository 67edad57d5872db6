import type { JournalEvent, Output } from '@quipu/sdk'
import { indexOf, type State, stateAfter } from './states.table.ts'

export type AccountRequest = Output<'getTokenizationRequests'>[number]
export type WorldRequest = Output<'listWorldTokenizationRequests'>[number]

/** A request reached a state. */
export type Step = { readonly state: State; readonly at: string }

/** A request with what the journal knows about it. */
export type Request = AccountRequest & {
  readonly state: State
  readonly isHeld: boolean
  readonly isLate: boolean
  /** Empty if its events are older than those that were read. */
  readonly steps: readonly Step[]
}

type History = { steps: Step[]; isHeld: boolean }

const idOf = ({ event }: JournalEvent): unknown =>
  event['requestId'] ?? (event['request'] as { readonly id?: unknown } | undefined)?.id

/** The steps of each request, from events in journal order. */
export function historiesOf(events: readonly JournalEvent[]): ReadonlyMap<string, History> {
  const histories = new Map<string, History>()
  for (const event of events) {
    const id = idOf(event)
    if (typeof id !== 'string') continue
    const history = histories.get(id) ?? { steps: [], isHeld: false }
    if (event.kind === 'requestHeld') history.isHeld = true
    if (event.kind === 'requestReleased') history.isHeld = false
    const state = stateAfter[event.kind]
    if (state !== undefined && isNext(history.steps, event.kind, state))
      history.steps.push({ state, at: event.at })
    histories.set(id, history)
  }
  // Without its first event, the times of a request would be wrong.
  for (const history of histories.values()) if (history.steps[0]?.state !== 'received') history.steps = []
  return histories
}

/** The first job asks the issuer; later jobs change no state. */
function isNext(steps: readonly Step[], kind: string, state: State): boolean {
  const last = steps.at(-1)?.state
  return kind === 'jobStarted' ? last === 'received' : last !== state
}

/** An operator reads the state; an account follows it by its events. */
export function withHistory(
  request: AccountRequest | WorldRequest,
  histories: ReadonlyMap<string, History>,
): Request {
  const history = histories.get(request.tokenization_request_id)
  const steps = history?.steps ?? []
  const isPending = request.status === 'pending'
  const followed = isPending ? (steps.at(-1)?.state ?? 'received') : (request.status as State)
  return {
    ...request,
    state: 'state' in request ? request.state : followed,
    isHeld: isPending && ('held' in request ? request.held : (history?.isHeld ?? false)),
    isLate: isPending && 'late' in request && request.late,
    steps,
  }
}

const MS = (at: string): number => Date.parse(at)

/** How long a request took, or has taken until now. */
export const durationOf = (request: Request, now: number): number =>
  Math.max(
    0,
    (request.status === 'pending' ? now : MS(request.updated_at ?? request.created_at)) -
      MS(request.created_at),
  )

/** The median time between each state of a mint and the next one, by the first of both. */
export function medians(requests: readonly Request[]): ReadonlyMap<State, number> {
  const times = new Map<State, number[]>()
  for (const { steps } of requests)
    for (const [index, { state, at }] of steps.entries()) {
      const next = steps[index + 1]
      if (next === undefined || indexOf(next.state) !== indexOf(state) + 1) continue
      times.set(state, [...(times.get(state) ?? []), MS(next.at) - MS(at)])
    }
  return new Map([...times].map(([state, all]) => [state, medianOf(all)]))
}

function medianOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
