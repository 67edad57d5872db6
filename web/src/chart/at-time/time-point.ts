import type { Signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { dayKey, newYorkMs } from '../../format/times.ts'
import type { ChartBar } from '../bar.ts'
import type { BarSource } from '../bar-source.ts'
import type { CandleChart } from '../candle-chart.ts'
import type { ChartView } from '../chart-view.ts'
import { isIntraday, startOf, type Timeframe } from '../timeframes.ts'

/** An instant of the chart, and where the viewer pointed. */
export type TimePoint = { readonly atMs: number; readonly x: number; readonly y: number }

const LONG_PRESS_MS = 500
const MOVED_MIN = 8

type Wanted = { readonly point: TimePoint | undefined; readonly close: () => void }

/**
 * Where the viewer asked for the menu at a time: a right click, a long press, or Shift F10 at the crosshair. The arrow
 * keys move the crosshair while the chart has the focus.
 */
export function useTimePoint(
  element: { readonly current: HTMLDivElement | null },
  view: ChartView | undefined,
  source: BarSource,
  hovered: Signal<ChartBar | undefined>,
  chart: CandleChart | undefined,
  snap: (atMs: number) => number,
): Wanted {
  const [point, setPoint] = useState<TimePoint>()
  const shown = useRef(view)
  shown.current = view
  useEffect(() => {
    const plot = element.current
    if (!plot || !chart) return undefined
    const closing = new AbortController()
    const openAt = (x: number, y: number): void => {
      const now = shown.current
      if (now && x >= 0 && x <= now.width) setPoint({ atMs: snap(now.timeAt(x)), x, y })
    }
    const openAtCrosshair = (): void => {
      const now = shown.current
      const bar = hovered.peek() ?? source.bars.peek()?.at(-1)
      if (!now || !bar) return
      setPoint({
        atMs: snap(bar.atMs),
        x: Math.min(Math.max(now.x(bar.atMs), 0), now.width),
        y: now.height / 4,
      })
    }
    const place = ({ clientX, clientY }: MouseEvent): [number, number] => {
      const { left, top } = plot.getBoundingClientRect()
      return [clientX - left, clientY - top]
    }
    plot.addEventListener(
      'contextmenu',
      (event) => {
        event.preventDefault()
        openAt(...place(event))
      },
      closing,
    )
    onLongPress(plot, (event) => openAt(...place(event)), closing.signal)
    plot.addEventListener(
      'keydown',
      (event) => {
        const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
        if (step === 0) return
        event.preventDefault()
        const bars = source.bars.peek() ?? []
        const known = bars.findIndex(({ atMs }) => atMs === hovered.peek()?.atMs)
        const index = Math.min(Math.max((known < 0 ? bars.length : known) + step, 0), bars.length - 1)
        chart.pointAt(index)
        hovered.value = bars[index]
      },
      closing,
    )
    addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'F10' || !event.shiftKey || isOther(event.target)) return
        event.preventDefault()
        openAtCrosshair()
      },
      closing,
    )
    return () => closing.abort()
  }, [chart, source])
  return {
    point,
    close: () => {
      setPoint(undefined)
      element.current?.focus()
    },
  }
}

/** An instant as the viewer means it: a minute, or the open of the day where a bar is a day. */
export const snapped =
  (timeframe: Timeframe, isCrypto: boolean) =>
  (atMs: number): number => {
    if (isIntraday(timeframe)) return Math.round(atMs / 60_000) * 60_000
    return isCrypto ? startOf(timeframe, atMs, true) : newYorkMs(dayKey(atMs), '09:30')
  }

/** Fields and dialogs have menus of their own. */
const isOther = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null

function onLongPress(plot: HTMLElement, run: (event: PointerEvent) => void, signal: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let start: PointerEvent | undefined
  const end = (): void => clearTimeout(timer)
  plot.addEventListener(
    'pointerdown',
    (event) => {
      end()
      if (event.pointerType === 'mouse') return
      start = event
      timer = setTimeout(() => run(event), LONG_PRESS_MS)
    },
    { signal },
  )
  plot.addEventListener(
    'pointermove',
    ({ clientX, clientY }) => {
      if (start && Math.hypot(clientX - start.clientX, clientY - start.clientY) > MOVED_MIN) end()
    },
    { signal },
  )
  for (const name of ['pointerup', 'pointercancel'] as const) plot.addEventListener(name, end, { signal })
  signal.addEventListener('abort', end)
}
