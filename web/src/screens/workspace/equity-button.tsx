import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { Spark } from '../../parts/spark.tsx'
import { EquityCard } from './equity-card.tsx'
import { playedHistory } from './equity-history.ts'

/** The curve of the day, small. A click opens it with its ranges. */
export function EquityButton(): JSX.Element {
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => addKeys('Workspace', { e: () => panel.current?.togglePopover() }), [])
  useEffect(() => {
    if (isOpen) panel.current?.querySelector<HTMLElement>('button')?.focus()
  }, [isOpen])
  const day = playedHistory.value
  const values = (day?.points ?? []).map(([, value]) => value)
  return (
    <div class="equity-spark">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label="Equity curve"
        title="Equity curve (e)"
        onClick={() => panel.current?.togglePopover()}
      >
        {values.length > 1 ? (
          <Spark values={values} base={day?.base || undefined} of="equity" />
        ) : (
          <span class="no-spark" />
        )}
      </button>
      <div
        ref={panel}
        class="popover equity-popover"
        popover="auto"
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen && <EquityCard />}
      </div>
    </div>
  )
}
