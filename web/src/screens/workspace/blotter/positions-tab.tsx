import type { JSX } from 'preact'
import { moneyText } from '../../../format/amounts.ts'
import { sum } from '../../../format/decimal.ts'
import { current } from '../../../live/current.ts'
import { Gain } from '../../../parts/amounts.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { DataTable } from '../../../parts/table/data-table.tsx'
import { clearSelection, tableState } from '../../../parts/table/table-state.ts'
import { BulkBar, TableTools, Tools, WaitingRows } from '../../../parts/table/table-tools.tsx'
import { useBulkKey } from '../../../parts/table/use-bulk-key.ts'
import { useTable } from '../../../parts/table/use-table.ts'
import { isAuditor } from '../../../session/session.ts'
import { startOrder } from '../../../ticket/ticket-fields.ts'
import { chooseSymbol, chosenSymbol } from '../chosen-symbol.ts'
import { type LivePosition, livePositions } from '../live-values.ts'
import { closePositions, isClosable } from './close-positions.ts'
import { positionColumns } from './position-columns.tsx'

const state = tableState('positions', [])
const NO_POSITIONS: readonly LivePosition[] = []
const keyOf = ({ position }: LivePosition): string => position.symbol

/** What the account holds, with gains of today and since it was bought. */
export function PositionsTab(): JSX.Element {
  const store = current.value?.store
  const positions = livePositions.value
  const rows = positions ?? NO_POSITIONS
  const table = useTable({ state, rows, keyOf, columns: positionColumns })
  const selected = table.selected
  const isStale = store?.orderStream.isStale.value ?? false
  const able = selected.filter(isClosable)
  const held = selected.length - able.length
  const close = () => {
    if (able.length > 0) void closePositions(able)
  }
  useBulkKey('Workspace', selected.length > 0, close)
  return (
    <>
      <Tools>
        {rows.length > 0 && selected.length === 0 && (
          <span class="faint wide-only">
            Day P/L <Gain value={sum(rows.map(({ dayGain }) => dayGain))} stale={isStale} of="day_gain" />
          </span>
        )}
        <WaitingRows table={table} />
        {selected.length > 0 && (
          <BulkBar
            table={table}
            verb={`Close ${able.length} ${able.length === 1 ? 'position' : 'positions'} …`}
            rest={held === 0 ? undefined : `open orders hold ${held}`}
            isOff={able.length === 0}
            run={close}
            clear={() => clearSelection(state)}
          />
        )}
        <TableTools table={table} what="positions" readAll={async () => rows} />
      </Tools>
      {store?.problem.value && !positions ? (
        <Failed what="positions" error={store.problem.value} retry={() => store.refresh()} />
      ) : positions === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <NoPositions />
      ) : (
        <DataTable
          table={table}
          label="Positions"
          canSelect={!isAuditor.value}
          marked={chosenSymbol.value}
          open={({ position }) => chooseSymbol(position.symbol)}
          pick={({ position }) => chooseSymbol(position.symbol)}
        />
      )}
    </>
  )
}

function NoPositions(): JSX.Element {
  const cash = current.value?.store.account.value?.cash
  return (
    <Empty
      icon="candles"
      title={`You have ${cash === undefined ? '' : moneyText(cash)} and no positions.`}
      actions={
        <button
          data-changes
          type="button"
          class="button main"
          onClick={() => startOrder({ symbol: 'AAPL', side: 'buy', size: '1', type: 'market' })}
        >
          Buy 1 AAPL
        </button>
      }
    >
      Press <kbd>b</kbd> to buy, or let a program place an order.
    </Empty>
  )
}
