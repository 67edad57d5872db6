import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** The element that gets the focus when the removal of a dialog is complete, unless another dialog opens. */
let next: Element | null = null

/**
 * Opens a dialog, and gives the focus back to the element that had it before. A browser does that only for a dialog
 * that is closed before it is removed.
 */
export function useModal(dialog: RefObject<HTMLDialogElement | null>, isOpen = true): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    // A dialog that replaces another one gives the focus back for both.
    const before = next ?? document.activeElement
    dialog.current?.showModal()
    return () => {
      next = before
      // The dialog may be removed after this effect ends, and another part may take the focus.
      queueMicrotask(giveBack)
    }
  }, [isOpen])
}

function giveBack(): void {
  if (document.activeElement === document.body && next instanceof HTMLElement)
    next.focus({ preventScroll: true })
  next = null
}
