import { apply, type BrokerEvent, emptyState, forget, type Order, type State } from '@quipu/core'
import { pauseWork } from '../clock/long-work.ts'
import type { Journal } from '../journal/journal.ts'
import { eventOf } from '../journal/stored-event.ts'

/** Events that are replayed before other work runs: about four milliseconds. */
const PER_TURN = 256

/** Called after each event, with the order that the event concerns. */
export type Applied = (event: BrokerEvent, order: Order | undefined) => void

/** The open state before the first event that is not included. `start` is the state of an earlier event, and is changed. */
export async function replayWhile(
  journal: Journal,
  isIncluded: (event: BrokerEvent, number: number) => boolean,
  start?: State,
  applied?: Applied,
): Promise<State> {
  const state = start ?? emptyState()
  for await (const entries of journal.read(state.seq)) {
    for (const entry of entries) {
      const event = eventOf(entry)
      if (!isIncluded(event, state.seq + 1)) return state
      const order = apply(state, event)
      applied?.(event, order)
      if (state.seq % PER_TURN === 0) await pauseWork()
    }
    forget(state, state.seq)
  }
  return state
}
