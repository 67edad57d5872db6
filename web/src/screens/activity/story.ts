import type { JournalEvent, LedgerLeg } from '@quipu/sdk'
import { add, decimal, signOf, ZERO } from '../../format/decimal.ts'
import { eventTitle } from '../../format/event-words.ts'
import { stepText } from '../../format/step-text.ts'
import { durationText } from '../../format/times.ts'
import type { Frame, RequestState } from './request-state.ts'

/** An event of the story, with what it moved and sent. */
export type Knot = {
  readonly event: JournalEvent
  readonly title: string
  readonly sentences: readonly string[]
  readonly legs: readonly LedgerLeg[]
  readonly frames: readonly Frame[]
  /** Whether another request caused it. */
  readonly isOfOther: boolean
  readonly isEnd: boolean
  /** The time until the next event, if it is worth a line. */
  readonly gap: string | undefined
}

/** A gap in the time of the world that is written out. */
const GAP_MS = 1000
const ends = new Set(['orderCanceled', 'orderExpired', 'orderRejected', 'orderReplaced'])
/** Steps that only repeat the title of their event. */
const repeated = new Set(['placed', 'filled', 'canceled', 'expired'])

/** The events of a request, and the later ones of its orders. */
export function storyOf({ id, events, postings, frames, explanation }: RequestState): readonly Knot[] {
  const steps = explanation?.steps ?? []
  return events.map((event, index) => {
    const { number, kind, request_id: cause } = event
    const next = events[index + 1]
    const gapMs = next ? Date.parse(next.at) - Date.parse(event.at) : 0
    return {
      event,
      title: `Event ${number}, ${eventTitle(event)}`,
      sentences: steps
        .filter((step) => step.number === number && !repeated.has(step.code))
        .map((step) => stepText(step).sentence.trim()),
      legs: postings.filter((leg) => leg.number === number),
      frames: frames.filter((frame) => frame.number === number),
      isOfOther: cause !== undefined && cause !== id,
      isEnd: ends.has(kind) || (kind === 'orderFilled' && !next),
      gap: gapMs >= GAP_MS ? gapText(gapMs, next?.request_id) : undefined,
    }
  })
}

const gapText = (ms: number, cause: string | undefined): string =>
  `${durationText(ms)} of market, ${cause === undefined ? 'no further request' : 'then another request'}`

/** Whether the amounts of each asset add up to zero. Who sees only some of the legs cannot say. */
export function isBalanced(legs: readonly LedgerLeg[]): boolean {
  const sums = new Map<string, ReturnType<typeof decimal>>()
  for (const { asset, amount } of legs) sums.set(asset, add(sums.get(asset) ?? ZERO, decimal(amount)))
  return [...sums.values()].every((total) => signOf(total) === 0)
}
