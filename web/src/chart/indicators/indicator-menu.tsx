import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import {
  areIndicatorsHidden,
  type IndicatorKind,
  indicatorKinds,
  indicatorNames,
  indicators,
  PERIOD_MAX,
  setIndicator,
  setPeriod,
} from './indicator-settings.ts'
import { PopUp } from './pop-up.tsx'

const places = { price: 'On the price', below: 'Below, in a pane of its own' } as const

/** Chooses the indicators and their periods. `i` opens it; holding Alt hides all indicators. */
export function IndicatorMenu(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => addKeys('Workspace', { i: () => setOpen(true) }), [])
  useEffect(() => hideWhileHeld(), [])
  return (
    <PopUp label="Indicators" isOpen={isOpen} setOpen={setOpen}>
      {(['price', 'below'] as const).map((where) => (
        <fieldset key={where}>
          <legend>{places[where]}</legend>
          {indicatorNames
            .filter((kind) => indicatorKinds[kind].where === where)
            .map((kind) => (
              <IndicatorRow key={kind} kind={kind} />
            ))}
        </fieldset>
      ))}
      <p class="faint small">
        Hold <kbd>Alt</kbd> to hide all.
      </p>
    </PopUp>
  )
}

function IndicatorRow({ kind }: { readonly kind: IndicatorKind }): JSX.Element {
  const { title } = indicatorKinds[kind]
  const { isOn, periods } = indicators.value[kind]
  const names = kind === 'bollinger' ? ['period', 'standard deviations'] : ['period']
  return (
    <div class="indicator-row">
      <label class="check-box">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => setIndicator(kind, { isOn: currentTarget.checked })}
        />
        {title}
      </label>
      {kind === 'vwap' && <span class="faint small">from the start of the day</span>}
      {periods.map((period, index) => (
        <input
          key={names[index]}
          type="number"
          class="period"
          min={1}
          max={PERIOD_MAX}
          aria-label={`${title}, ${names[index]}`}
          value={period}
          onInput={({ currentTarget }) => setPeriod(kind, index, currentTarget.value)}
        />
      ))}
    </div>
  )
}

/** Hides the indicators while Alt is down. Returns a function that ends it. */
function hideWhileHeld(): () => void {
  const closing = new AbortController()
  const set = (isHidden: boolean) => (event: Event) => {
    if (event instanceof KeyboardEvent && event.key !== 'Alt') return
    areIndicatorsHidden.value = isHidden
  }
  addEventListener('keydown', set(true), closing)
  addEventListener('keyup', set(false), closing)
  addEventListener('blur', set(false), closing)
  return () => {
    closing.abort()
    areIndicatorsHidden.value = false
  }
}
