import type { JSX } from 'preact'
import { durationText } from '../format/times.ts'
import { clock, nowMs } from '../live/clock.ts'
import { Icon } from '../parts/icon.tsx'
import { hrefOf, itemTitle, place } from '../router.ts'
import { screens } from '../screens.table.ts'
import { world } from '../session/selection.ts'
import { isAuditor, isOperator } from '../session/session.ts'
import { isNarrow } from '../session/window.ts'
import { toggleTheme } from '../theme.ts'
import { AsOfStamp } from './as-of.tsx'
import { overlay } from './keys.ts'
import { isRailed } from './rail.ts'
import { WorldSwitch } from './switches.tsx'

function titleOf(item: string): string {
  const named = itemTitle.value
  if (named?.item === item) return named.title
  return item.length > 24 ? item.slice(0, 8) : item
}

/** Where the viewer is, the search, and whether the market is open. */
export function TopBar(): JSX.Element {
  const { screen, item } = place.value
  const found = screens.find(({ name }) => name === screen)
  return (
    <header class="top">
      {isOperator.value && (
        <div class="phone-only">
          <WorldSwitch />
        </div>
      )}
      {isRailed.value && (
        <div class="wide-only top-world">
          <WorldSwitch />
        </div>
      )}
      <div class={`crumbs ${screen === 'workspace' ? 'of-workspace' : ''}`}>
        {item !== undefined && found ? (
          <>
            <a href={hrefOf(found.name)}>{found.title}</a>
            <span class="sep">/</span>
            <span class="cut-text">{titleOf(item)}</span>
          </>
        ) : (
          <span>{found?.title ?? 'Not found'}</span>
        )}
      </div>
      <button type="button" class="find" onClick={() => (overlay.value = 'palette')}>
        <Icon name="search" />
        <span>{isNarrow.value ? 'Search' : 'Search or run a command'}</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      {isAuditor.value && (
        <span class="chip" title="You are an auditor: you see everything and change nothing.">
          Read only
        </span>
      )}
      <MarketPhase />
      <AsOfStamp />
      <button
        type="button"
        class="icon-button theme"
        aria-label="Change between light and dark"
        onClick={toggleTheme}
      >
        <Icon name="theme" />
      </button>
    </header>
  )
}

/** Whether the market is open, and for how long. */
function MarketPhase(): JSX.Element | null {
  const [state, now] = [clock.value, nowMs.value]
  if (!state || now === undefined) return null
  const minutesLeft = (endMs: number) => durationText(Math.max(Math.ceil((endMs - now) / 60_000), 1) * 60_000)
  // A market that is always open does not close. Without operator rights the hours are not known.
  const hasSessions = world.value?.hours === 'nyse'
  const ends = !state.isOpen
    ? `opens in ${minutesLeft(state.nextOpenMs)}`
    : hasSessions
      ? `closes in ${minutesLeft(state.nextCloseMs)}`
      : undefined
  return (
    <div class="phase">
      <span class={`dot ${state.isOpen ? '' : 'off'}`} />
      <b>{state.isOpen ? 'Open' : 'Closed'}</b>
      {ends !== undefined && <span class="long">{ends}</span>}
    </div>
  )
}
