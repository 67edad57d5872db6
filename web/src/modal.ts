import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** The element that gets the focus when the removal of a dialog is complete, unless another dialog opens. */
let next: Element | null = null

/**
 * Opens a dialog, and gives the focus back to the element that had it before. A browser does that only for a dialog
 * that is closed before it is removed. Escape calls `close`, which removes the dialog.
 */
export function useModal(
  dialog: RefObject<HTMLDialogElement | null>,
  close: () => void,
  isOpen = true,
): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    // A dialog that replaces another one gives the focus back for both.
    const before = next ?? document.activeElement
    const shown = dialog.current
    const leave = (event: Event) => {
      // The field of a file inside the dialog also sends `cancel`.
      if (event.target !== shown) return
      event.preventDefault()
      close()
    }
    // Escape sends `cancel` at once and `close` in a later task. A key between them must find the dialog removed.
    for (const type of ['cancel', 'close']) shown?.addEventListener(type, leave)
    shown?.showModal()
    return () => {
      // A dialog that replaces this one stays open when the event comes.
      for (const type of ['cancel', 'close']) shown?.removeEventListener(type, leave)
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
