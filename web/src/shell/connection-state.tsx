import type { JSX } from 'preact'
import { current } from '../live/current.ts'
import { session } from '../session/session.ts'

/** Whether the numbers on screen are live. */
export function ConnectionState(): JSX.Element {
  const store = current.value?.store
  const [dot, text] = !store
    ? ['off', 'No account']
    : store.isStale.value
      ? ['warn', 'Reconnecting']
      : store.streamState.value === 'open'
        ? ['live', 'Live']
        : ['off', 'Connecting']
  return (
    <div class="state" role="status">
      <span class={`dot ${dot}`} />
      <span>{text}</span>
      <span class="right">{session.value?.name}</span>
    </div>
  )
}
