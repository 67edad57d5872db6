import type { JSX } from 'preact'
import { durationText } from '../format/times.ts'
import { clock, nowMs } from '../live/clock.ts'

/** Whether the market is open, and for how long. */
export function MarketPhase(): JSX.Element | null {
  const [state, now] = [clock.value, nowMs.value]
  if (!state || now === undefined) return null
  const minutesLeft = (endMs: number) => durationText(Math.max(Math.ceil((endMs - now) / 60_000), 1) * 60_000)
  return (
    <div class="phase">
      <span class={`dot ${state.isOpen ? '' : 'off'}`} />
      <b>{state.isOpen ? 'Open' : 'Closed'}</b>
      <span class="long">
        {state.isOpen
          ? `closes in ${minutesLeft(state.nextCloseMs)}`
          : `opens in ${minutesLeft(state.nextOpenMs)}`}
      </span>
    </div>
  )
}
