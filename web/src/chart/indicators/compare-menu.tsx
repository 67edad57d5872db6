import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { findAsset } from '../../live/assets.ts'
import { current } from '../../live/current.ts'
import { api } from '../../session/selection.ts'
import { recentSymbols } from '../../ticket/recent-symbols.ts'
import { comparedNow, compareWith } from '../chart-address.ts'
import { PopUp } from './pop-up.tsx'

const USUAL = 'SPY'

/** Chooses a symbol to compare with: its closes are scaled to the price at the left edge. */
export function CompareMenu({ symbol }: { readonly symbol: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const compared = comparedNow()
  const choose = (chosen: string): void => {
    setProblem(undefined)
    setOpen(false)
    compareWith(chosen)
  }
  const look = async (): Promise<void> => {
    const wanted = text.trim().toUpperCase()
    const connection = api.peek()
    if (wanted === '' || !connection) return
    const asset = await findAsset(connection, wanted, new AbortController().signal).catch(() => null)
    if (asset) choose(asset.symbol)
    else setProblem(`This world has no symbol ${wanted}`)
  }
  const held = (current.value?.store.positions.value ?? []).map((one) => one.symbol)
  const offered = [...new Set([USUAL, ...recentSymbols(), ...held])].filter((one) => one !== symbol)
  return (
    <PopUp label={compared ? `Against ${compared}` : 'Compare'} isOpen={isOpen} setOpen={setOpen}>
      <form
        aria-label="Compare"
        onSubmit={(event) => {
          event.preventDefault()
          void look()
        }}
      >
        <span class="input">
          <input
            aria-label="Symbol to compare with"
            placeholder="Symbol"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </span>
      </form>
      {problem && (
        <p class="of-wrong small" role="alert">
          {problem}
        </p>
      )}
      <div class="compare-choices">
        {offered.slice(0, 6).map((one) => (
          <button
            key={one}
            type="button"
            class="button small"
            aria-pressed={one === compared}
            onClick={() => choose(one)}
          >
            {one}
          </button>
        ))}
      </div>
      {compared && (
        <button type="button" class="button small bare" onClick={() => compareWith(undefined)}>
          End the comparison
        </button>
      )}
    </PopUp>
  )
}

/** Watches the symbol to compare with, so that its line moves too. */
export function useWatched(symbol: string | undefined): void {
  const live = current.value
  useEffect(
    () => (live && symbol ? live.market.watch(['bars', 'updatedBars'], [symbol]) : undefined),
    [live, symbol],
  )
}
