import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'

type PopUpProps = {
  readonly label: string
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
  readonly children: ComponentChildren
}

/** A button with a panel below it. Escape and a click elsewhere close it; the focus goes back to the button. */
export function PopUp({ label, isOpen, setOpen, children }: PopUpProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const close = (): void => {
    setOpen(false)
    box.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return undefined
    box.current?.querySelector<HTMLElement>('.panel input, .panel button')?.focus()
    const onDown = ({ target }: PointerEvent): void => {
      if (!box.current?.contains(target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', onDown)
    return () => document.removeEventListener('pointerdown', onDown)
  }, [isOpen])
  return (
    <div
      ref={box}
      class="pop-up"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        event.preventDefault()
        event.stopPropagation()
        close()
      }}
    >
      <button type="button" class="button small bare" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label} <Icon name="down" />
      </button>
      {isOpen && (
        <div class="panel" role="group" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  )
}
