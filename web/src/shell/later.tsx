import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { overlay } from './keys.ts'

const load = () => import('../palette/command-dialog.tsx')

/** The form of an operation is loaded with its first use. */
export function CommandLater(): JSX.Element | null {
  const [Shown, setShown] = useState<{ readonly component: ComponentType }>()
  const isOpen = overlay.value === 'command'
  useEffect(() => {
    if (!isOpen || Shown) return
    load().then(
      ({ default: component }) => setShown({ component }),
      () => (overlay.value = undefined),
    )
  }, [isOpen])
  return isOpen && Shown ? <Shown.component /> : null
}
