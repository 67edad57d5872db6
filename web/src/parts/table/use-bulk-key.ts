import { useLayoutEffect, useRef } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'

/** Shift X acts on the selected rows. */
export function useBulkKey(group: 'Workspace' | 'Orders', isOn: boolean, run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  useLayoutEffect(
    () => (isOn ? addKeys(group, { 'Shift+x': () => latest.current() }) : undefined),
    [group, isOn],
  )
}
