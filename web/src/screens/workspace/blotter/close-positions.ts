import { moneyText } from '../../../format/amounts.ts'
import { sum } from '../../../format/decimal.ts'
import { ask } from '../../../parts/question.tsx'
import { countText, forAll, report } from '../../../parts/table/bulk.ts'
import { api } from '../../../session/selection.ts'
import type { LivePosition } from '../live-values.ts'

/** A market order closes all of a position, so none of it may be held by open orders. */
export const isClosable = ({ position: { qty, qty_available: free } }: LivePosition): boolean =>
  free == null || Number(free) === Number(qty)

/** Closes positions at the market, after one question that names the sum. */
export async function closePositions(positions: readonly LivePosition[]): Promise<void> {
  const connection = api.peek()
  if (!connection || positions.length === 0) return
  const what = countText(positions.length, 'position')
  const value = sum(positions.map(({ value: one }) => (one.units < 0n ? { ...one, units: -one.units } : one)))
  const names = positions.map(({ position }) => position.symbol)
  const confirmed = await ask({
    title: names.length === 1 ? `Close ${names[0]}?` : `Close ${what}?`,
    effect: `Sends ${countText(names.length, 'market order')}, about ${moneyText(value)} in total: ${namesText(names)}.`,
    keep: names.length === 1 ? 'Keep it' : 'Keep them',
    confirm: `Close ${what}`,
  })
  if (!confirmed) return
  const errors = await forAll(names, (symbol) =>
    connection.quipu.write('closePosition', { params: { symbol_or_asset_id: symbol } }),
  )
  report('Sent orders to close', names.length, 'position', errors)
}

const NAMED_MAX = 8
const namesText = (names: readonly string[]): string =>
  names.length <= NAMED_MAX
    ? names.join(', ')
    : `${names.slice(0, NAMED_MAX).join(', ')} and ${names.length - NAMED_MAX} more`
