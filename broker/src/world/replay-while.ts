import { apply, type BrokerEvent, emptyState, forget, type State } from '@quipu/core'
import { pauseWork } from '../clock/long-work.ts'
import type { Journal } from '../journal/journal.ts'
import { eventOf } from '../journal/stored-event.ts'

/** Events that are replayed before other work runs: about four milliseconds. */
const PER_TURN = 256

/** The open state before the first event that is not included. `start` is the state of an earlier event, and is changed. */
export async function replayWhile(
  journal: Journal,
  isIncluded: (event: BrokerEvent, number: number) => boolean,
  start?: State,
): Promise<State> {
  const state = start ?? emptyState()
  for await (const entries of journal.read(state.seq)) {
    for (const entry of entries) {
      const event = eventOf(entry)
      if (!isIncluded(event, state.seq + 1)) return state
      apply(state, event)
      if (state.seq % PER_TURN === 0) await pauseWork()
    }
    forget(state, state.seq)
  }
  return state
}
