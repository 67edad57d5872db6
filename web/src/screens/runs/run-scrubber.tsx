import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { longDayText, secondText } from '../../format/times.ts'
import { addKeys } from '../../keyboard.ts'
import { Icon } from '../../parts/icon.tsx'
import type { Scrub } from './scrub.ts'

const STEP_MS = 350

/** Moves the position in a run: by requests, by faults, by dragging, or by playing. */
export function RunScrubber({ scrub }: { readonly scrub: Scrub }): JSX.Element {
  const isPlaying = useSignal(false)
  const { toRequest, toNextFault, share, atMs, file } = scrub
  const play = (): void => {
    isPlaying.value = !isPlaying.value
  }
  useLayoutEffect(
    () =>
      addKeys('Runs', {
        ArrowLeft: () => toRequest(-1),
        ArrowRight: () => toRequest(1),
        n: toNextFault,
        Space: play,
      }),
    [scrub],
  )
  useEffect(() => {
    if (!isPlaying.value) return undefined
    const timer = setInterval(() => {
      const before = scrub.index.value
      toRequest(1)
      if (scrub.index.value === before) isPlaying.value = false
    }, STEP_MS)
    return () => clearInterval(timer)
  }, [isPlaying.value, scrub])
  const drag = (event: PointerEvent): void => {
    const track = event.currentTarget as HTMLElement
    if (event.type === 'pointerdown') track.setPointerCapture(event.pointerId)
    if (!track.hasPointerCapture(event.pointerId)) return
    const { left, width } = track.getBoundingClientRect()
    scrub.toShare((event.clientX - left) / width)
  }
  return (
    <section class="time-bar run-scrubber" aria-label="Position in the run">
      <button
        type="button"
        class="play"
        aria-label={isPlaying.value ? 'Pause' : 'Play the run'}
        title="Space"
        onClick={play}
      >
        <Icon name={isPlaying.value ? 'pause' : 'play'} />
      </button>
      <div class="steps">
        <button type="button" class="button" title="←" onClick={() => toRequest(-1)}>
          ← Request
        </button>
        <button type="button" class="button" title="→" onClick={() => toRequest(1)}>
          Request →
        </button>
        <button type="button" class="button" title="n" onClick={toNextFault}>
          Next fault
        </button>
      </div>
      <div
        class="track"
        role="slider"
        tabIndex={0}
        aria-label="Time of the run"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share.value * 100)}
        aria-valuetext={`${longDayText(atMs.value)}, ${secondText(atMs.value)}`}
        onPointerDown={drag}
        onPointerMove={drag}
      >
        <div class="rail" />
        <div class="past" style={{ width: `${share.value * 100}%` }} />
        {file.parts.fault.slice(0, 40).map(({ at, label }, index) => (
          <span
            key={`${at} ${index}`}
            class="fault-knot"
            title={label}
            style={{ left: `${scrub.shareOf(at) * 100}%` }}
          />
        ))}
        <span class="run-now" style={{ left: `${share.value * 100}%` }} />
      </div>
      <div class="run-clock">
        <b class="n">{secondText(atMs.value)}</b>
        <span class="small soft">{longDayText(atMs.value)} · replay</span>
      </div>
    </section>
  )
}
