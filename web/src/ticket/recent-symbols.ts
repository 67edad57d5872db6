import { signal } from '@preact/signals'
import { worldName } from '../session/selection.ts'

const RECENT_MAX = 6
const keyOf = (world: string): string => `quipu-recent-symbols ${world}`

/** Counts the changes, because the list is kept outside the page. */
const changes = signal(0)

/** The symbols that the viewer ordered last in this world, newest first. Kept in this browser. */
export function recentSymbols(): readonly string[] {
  void changes.value
  return (localStorage.getItem(keyOf(worldName.value)) ?? '').split(' ').filter((symbol) => symbol !== '')
}

export function noteRecentSymbol(symbol: string): void {
  const others = recentSymbols().filter((one) => one !== symbol)
  localStorage.setItem(keyOf(worldName.peek()), [symbol, ...others].slice(0, RECENT_MAX).join(' '))
  changes.value += 1
}
