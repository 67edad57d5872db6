import { useLayoutEffect } from 'preact/hooks'
import { addKeys } from '../keyboard.ts'

/** `j` and `k` move the focus through the rows that have `data-row`; `x` presses the button that has `data-end`, if any. */
export function useRowKeys(group: 'Apps and keys' | 'Operator'): void {
  useLayoutEffect(() => addKeys(group, { j: () => move(1), k: () => move(-1), x: pressEnd }), [group])
}

const rowOfFocus = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>('[data-row]') ?? null

const pressEnd = (): void => rowOfFocus()?.querySelector<HTMLElement>('[data-end]')?.click()

function move(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
  const focused = rowOfFocus()
  const at = focused ? rows.indexOf(focused) : step > 0 ? -1 : rows.length
  rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus()
}
