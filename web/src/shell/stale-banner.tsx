import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { durationText } from '../format/times.ts'
import { current } from '../live/current.ts'
import { Icon } from '../parts/icon.tsx'

/** A renewed token closes the stream for a moment; only a longer break is worth a word. */
const SHOWN_AFTER_MS = 1500

/** Says since when the numbers are stale. */
export function StaleBanner(): JSX.Element | null {
  const since = current.value?.store.staleSince.value
  const age = useSignal(0)
  useEffect(() => {
    age.value = 0
    if (since === undefined) return undefined
    const timer = setInterval(() => {
      age.value = Date.now() - since
    }, 500)
    return () => clearInterval(timer)
  }, [since])
  if (since === undefined || age.value < SHOWN_AFTER_MS) return null
  return (
    <div class="banner" role="status">
      <Icon name="plug" />
      <span>
        <b>Reconnecting.</b> The event stream broke {durationText(age.value)} ago. Numbers are as of then;
        what was missed is read when it is back.
      </span>
    </div>
  )
}
