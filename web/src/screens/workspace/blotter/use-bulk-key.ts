import { useLayoutEffect, useRef } from 'preact/hooks'
import { addKeys } from '../../../keyboard.ts'

/** Shift X acts on the selected rows. */
export function useBulkKey(does: string, isOn: boolean, run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  useLayoutEffect(
    () =>
      isOn ? addKeys([{ key: 'Shift+x', does, changes: true, run: () => latest.current() }]) : undefined,
    [isOn, does],
  )
}
