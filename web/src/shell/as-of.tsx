import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { durationText, milliText, secondText } from '../format/times.ts'
import { clock } from '../live/clock.ts'
import { current } from '../live/current.ts'
import { copyText } from '../parts/copy-text.ts'
import { Icon } from '../parts/icon.tsx'
import { isSlim } from '../session/window.ts'

/** The instant of every number on screen. A click copies it with the number of the event. */
export function AsOfStamp(): JSX.Element | null {
  const store = current.value?.store
  const asOf = store?.asOf.value
  if (!store || !asOf) return null
  const isRunning = clock.value !== undefined && clock.value.speed > 0
  const text = isRunning || isSlim.value ? secondText(asOf.timeMs) : milliText(asOf.timeMs)
  const staleSince = store.orderStream.staleSince.value
  return (
    <button
      type="button"
      class={`as-of ${staleSince === undefined ? '' : 'stale'}`}
      title="Every number on this screen is of this instant. Click to copy it with the event number."
      data-as-of={asOf.time}
      data-event={asOf.event}
      onClick={() => void copyText(`${asOf.time} event ${asOf.event}`)}
    >
      <Icon name={staleSince === undefined ? 'clock' : 'warning'} />
      <span>
        <span class="wide-only">as of </span>
        <b>{text}</b>
      </span>
      <Beside event={asOf.event} staleSince={staleSince} readingMs={store.readingMs.value} />
    </button>
  )
}

type BesideProps = {
  readonly event: number
  readonly staleSince: number | undefined
  readonly readingMs: number | undefined
}

function Beside({ event, staleSince, readingMs }: BesideProps): JSX.Element {
  if (staleSince !== undefined) return <Age since={staleSince} />
  if (readingMs !== undefined) return <span class="of-sim">reading {secondText(readingMs)}</span>
  return <span class="faint wide-only">event {event}</span>
}

/** How old the numbers are. */
function Age({ since }: { readonly since: number }): JSX.Element {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 1000)
    return () => clearInterval(timer)
  }, [since])
  return <span class="of-warn">{durationText(Math.max(now.value - since, 0))} old</span>
}
