import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { moneyText } from '../format/amounts.ts'
import { secondText } from '../format/times.ts'
import { addKeys } from '../keyboard.ts'
import { nowMs } from '../live/clock.ts'
import { current } from '../live/current.ts'
import { worldName } from '../session/selection.ts'
import { branchName, equityThen, putBack, rewind, rewindTarget } from './rewind.ts'

type CardProps = {
  /** Where the instant is on the track, from 0 to 1. */
  readonly share: number
  /** The viewer still drags. */
  readonly isDragging: boolean
}

/** Where the branch leaves the track. */
export function BranchMark({ share }: Pick<CardProps, 'share'>): JSX.Element {
  const left = `${(share * 100).toFixed(3)}%`
  return (
    <>
      <span class="ghost" style={{ left }} />
      <span class="branch" style={{ left }} />
    </>
  )
}

/** The chosen past instant above the track: where the branch begins, and what Enter does. */
export function RewindCard({ share, isDragging }: CardProps): JSX.Element | null {
  const atMs = rewindTarget.value
  useLayoutEffect(
    () => (isDragging ? undefined : addKeys('Time', { Enter: () => void rewind(), Escape: putBack })),
    [isDragging],
  )
  if (atMs === undefined) return null
  const left = `${(share * 100).toFixed(3)}%`
  return (
    <div
      class="rewind-card"
      role="dialog"
      aria-label={`Rewind to ${secondText(atMs)}`}
      style={{ '--at': left }}
    >
      <b>Rewind to {secondText(atMs)}</b>
      <p>
        Makes the branch <b class="sim">{branchName(atMs)}</b>. {worldName.value} stays at{' '}
        {secondText(nowMs.value ?? atMs)}, with its orders.
      </p>
      <EquityLine />
      {isDragging ? (
        <p class="faint">Let go, or press Enter, to choose this time.</p>
      ) : (
        <div class="choices">
          <button data-changes type="button" class="button small sim" onClick={() => void rewind()}>
            Rewind <kbd>↵</kbd>
          </button>
          <button type="button" class="button small" onClick={putBack}>
            Put back <kbd>Esc</kbd>
          </button>
          <span class="faint">name it later</span>
        </div>
      )}
    </div>
  )
}

/** Equity at the chosen time and now. It is left out while it is not known. */
function EquityLine(): JSX.Element | null {
  const [then, account] = [equityThen.value, current.value?.store.account.value]
  if (then === undefined || account === undefined) return null
  return (
    <p class="n">
      Equity then {moneyText(then.toFixed(2))}, now {moneyText(account.equity ?? '0')}.
    </p>
  )
}
