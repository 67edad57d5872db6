import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { dayKey, dayText, durationText, secondText } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import type { ChartEvent } from '../../parts/chart-frame.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { SmallForm } from '../../parts/small-form.tsx'
import { worldName } from '../../session/selection.ts'
import { forkHere } from '../../shell/clock-actions.ts'
import type { ChartBar } from '../bar.ts'
import type { ChartView } from '../chart-view.ts'
import { moveReasons } from './move-reasons.ts'
import { type EventAt, eventAt, planAt, whyNoEvent, whyNotAct } from './time-actions.ts'
import type { TimePoint } from './time-point.ts'

type TimeMenuProps = {
  readonly symbol: string
  readonly point: TimePoint
  readonly view: ChartView
  readonly bars: readonly ChartBar[]
  readonly events: readonly ChartEvent[]
  readonly close: () => void
}

const [WIDTH, FORM_WIDTH] = [264, 352]

/** What can be done at a time of the chart: fork, crash, halt, gap, and why the price moved. */
export function TimeMenu(props: TimeMenuProps): JSX.Element {
  const { point, view, close } = props
  const box = useRef<HTMLDivElement>(null)
  const [step, setStep] = useState<EventAt | 'why'>()
  useEffect(() => {
    const onDown = ({ target }: PointerEvent): void => {
      if (!box.current?.contains(target as Node)) close()
    }
    document.addEventListener('pointerdown', onDown)
    return () => document.removeEventListener('pointerdown', onDown)
  }, [])
  useLayoutEffect(() => {
    box.current?.querySelector<HTMLElement>('input, button:not([aria-disabled="true"])')?.focus()
  }, [step])
  const width = typeof step === 'object' ? FORM_WIDTH : WIDTH
  const left = Math.max(Math.min(point.x + 12, view.width - width), 0)
  const top = Math.min(point.y, Math.max(view.height - 240, 0))
  return (
    <>
      <i class="time-line" style={{ left: `${point.x}px`, height: `${view.height}px` }} />
      <div
        ref={box}
        class="time-menu"
        style={{ left: `${left}px`, top: `${top}px`, width: `${width}px` }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          event.stopPropagation()
          if (step === undefined) close()
          else setStep(undefined)
        }}
      >
        <TimeHead atMs={point.atMs} />
        {step === undefined ? (
          <Choices {...props} choose={setStep} />
        ) : step === 'why' ? (
          <Why {...props} back={() => setStep(undefined)} />
        ) : (
          <SmallForm
            title={`${step.kind.title} at ${secondText(point.atMs)}`}
            about={isPast(point.atMs) ? 'In a new branch. This world does not change.' : step.kind.help}
            fields={step.kind.fields}
            start={step.start}
            submit={step.kind.submit}
            close={close}
            send={(values) => planAt(step, point.atMs, values)}
          />
        )}
      </div>
    </>
  )
}

const isPast = (atMs: number): boolean => atMs <= (nowMs.peek() ?? 0)

/** `At 11:00:00`, `1 h 12 min ago` */
function TimeHead({ atMs }: { readonly atMs: number }): JSX.Element {
  const now = nowMs.value ?? atMs
  const day = dayKey(atMs) === dayKey(now) ? '' : `${dayText(atMs)} `
  const distance = Math.abs(now - atMs)
  return (
    <div class="time-head">
      <b>
        At {day}
        {secondText(atMs)}
      </b>
      <span>
        {distance < 1000
          ? 'now'
          : `${atMs <= now ? '' : 'in '}${durationText(distance)}${atMs <= now ? ' ago' : ''}`}
      </span>
    </div>
  )
}

type ChoicesProps = TimeMenuProps & { readonly choose: (step: EventAt | 'why') => void }

function Choices({ symbol, point: { atMs }, close, choose }: ChoicesProps): JSX.Element {
  const past = isPast(atMs)
  const notAllowed = whyNotAct()
  const noEvent = notAllowed ?? whyNoEvent()
  const noFork =
    notAllowed ?? (past ? undefined : 'This time is not played yet, so there is nothing to fork.')
  const fork = (): void => {
    close()
    void forkHere(atMs)
  }
  const plan = (title: 'Crash' | 'Halt' | 'Gap') => () => choose(eventAt(title, atMs, symbol))
  const items: readonly ItemProps[] = [
    { icon: 'fork', label: 'Fork here', beside: <kbd>f</kbd>, why: noFork, run: fork },
    { icon: 'bolt', label: 'Crash here …', beside: '−6 %', why: noEvent, run: plan('Crash') },
    { icon: 'pause', label: `Halt ${symbol} here …`, beside: '15 min', why: noEvent, run: plan('Halt') },
    { icon: 'scale', label: 'Gap at the next open …', beside: '−3 %', why: noEvent, run: plan('Gap') },
    {
      icon: 'search',
      label: 'Why did it move?',
      beside: <kbd>w</kbd>,
      why: past ? undefined : 'This time is not played yet.',
      run: () => choose('why'),
      isOwn: true,
    },
  ]
  const keys: Readonly<Record<string, number>> = { f: 0, w: 4 }
  return (
    <div
      role="menu"
      aria-label="At this time"
      onKeyDown={(event) => {
        const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
        const chosen = items[keys[event.key] ?? -1]
        // A single key of the page, such as "to the close", does not act while the menu is open.
        if (event.key.length === 1) event.stopPropagation()
        if (step === 0 && chosen === undefined) return
        event.preventDefault()
        if (step !== 0) moveFocus(event.currentTarget, step)
        else if (chosen?.why === undefined) chosen?.run()
      }}
    >
      {items.map((item) => (
        <Item key={item.label} {...item} />
      ))}
      <p class="faint small">
        {noEvent ??
          (past
            ? `This time is past: all act in a new branch. ${worldName.value} does not change.`
            : 'This time is not played yet: a market event is planned here.')}
      </p>
    </div>
  )
}

function moveFocus(menu: HTMLElement, step: number): void {
  const items = [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  items.at((at + step) % items.length)?.focus()
}

type ItemProps = {
  readonly icon: IconName
  readonly label: string
  readonly beside: ComponentChildren
  /** Why it cannot be done. */
  readonly why: string | undefined
  readonly run: () => void
  /** It only reads, so it is not violet. */
  readonly isOwn?: boolean
}

const Item = ({ icon, label, beside, why, run, isOwn }: ItemProps): JSX.Element => (
  <button
    type="button"
    role="menuitem"
    class={isOwn ? 'own' : ''}
    aria-disabled={why !== undefined}
    title={why}
    onClick={() => {
      if (why === undefined) run()
    }}
  >
    <Icon name={icon} />
    <b>{label}</b>
    <span>{beside}</span>
  </button>
)

const Why = ({ point, bars, events, back }: TimeMenuProps & { readonly back: () => void }): JSX.Element => (
  <div class="why">
    <div role="status">
      {moveReasons(bars, events, point.atMs).map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
    <button type="button" class="button small" onClick={back}>
      Back <kbd>Esc</kbd>
    </button>
  </div>
)
