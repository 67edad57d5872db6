import type { JSX } from 'preact'
import { Popover } from '../../parts/table/popover.tsx'
import { isNarrow } from '../../session/window.ts'
import { isHidden, paneNames, panes, resetLayout, togglePane } from './layout.ts'

/** Which panes are on screen. A narrow window has the watchlist and the ticket over the chart instead. */
export const LayoutMenu = (): JSX.Element | null =>
  isNarrow.value ? null : (
    <div class="right">
      <Popover
        label="Layout"
        icon="workspace"
        content={
          <>
            {paneNames.map((name) => (
              <label key={name} class="check-box">
                <input type="checkbox" checked={!isHidden(name)} onChange={() => togglePane(name)} />
                {panes[name].title}
              </label>
            ))}
            <button type="button" class="button small" onClick={resetLayout}>
              As at first
            </button>
          </>
        }
      />
    </div>
  )
