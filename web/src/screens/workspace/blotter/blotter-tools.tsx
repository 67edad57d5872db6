import type { ComponentChildren, JSX } from 'preact'

/** What a tab has beside the tabs: its switch, the bar of its selection, filter, columns and CSV. */
export const BlotterTools = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <div class="blotter-tools">{children}</div>
)

/** Rows that came since the viewer began to select. */
export const WaitingRows = ({
  count,
  show,
}: {
  readonly count: number
  readonly show: () => void
}): JSX.Element | null =>
  count === 0 ? null : (
    <button type="button" class="button small waiting-rows" onClick={show}>
      {count} new
    </button>
  )
