import type { ComponentChildren, JSX } from 'preact'
import type { Table } from '../../../parts/table/use-table.ts'

/** What a tab has beside the tabs: its switch, the bar of its selection, filter, columns and CSV. */
export const BlotterTools = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <div class="blotter-tools">{children}</div>
)

/** Rows that came since the viewer began to select. */
export const WaitingRows = <Row,>({
  table: { waiting, state, allKeys },
}: {
  readonly table: Table<Row>
}): JSX.Element | null =>
  waiting === 0 ? null : (
    <button
      type="button"
      class="button small waiting-rows"
      onClick={() => {
        state.kept.value = new Set(allKeys())
      }}
    >
      {waiting} new
    </button>
  )
