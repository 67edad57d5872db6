import type { Ticker } from '../ids.ts'
import type { View } from '../state.ts'

/** Whether something other than a dividend lies ahead of a symbol. */
export function isAboutToChange(view: View, symbol: Ticker): boolean {
  for (const action of view.actions.values())
    if (action.symbol === symbol && action.appliedAt === undefined && action.kind !== 'dividend') return true
  return false
}
