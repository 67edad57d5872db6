import type { Ticker } from '../ids.ts'
import type { View } from '../state.ts'

/** Whether a symbol is about to be no more. */
export function isAboutToGo(view: View, symbol: Ticker): boolean {
  for (const action of view.actions.values())
    if (action.symbol === symbol && action.appliedAt === undefined && action.kind === 'delisting') return true
  return false
}
