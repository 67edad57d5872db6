import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from '../icon.tsx'

type PopoverProps = {
  readonly label: string
  readonly icon?: IconName
  readonly content: ComponentChildren
  readonly class?: string
}

const GAP_PX = 4

/** A button with a panel over everything else. The browser closes it with Escape or a click beside it. */
export function Popover({ label, icon, content, class: extra = '' }: PopoverProps): JSX.Element {
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const place = () => {
    if (!button.current || !panel.current) return
    const { left, right, top, bottom } = button.current.getBoundingClientRect()
    const { width, height } = panel.current.getBoundingClientRect()
    const isBelow = bottom + GAP_PX + height <= innerHeight
    const x = left + width <= innerWidth - GAP_PX ? left : Math.max(right - width, GAP_PX)
    const above = top - height - GAP_PX
    const y = isBelow ? bottom + GAP_PX : Math.max(above, GAP_PX)
    Object.assign(panel.current.style, { left: `${x}px`, top: `${y}px` })
  }
  // Its size is known only with its content.
  useLayoutEffect(() => {
    if (!isOpen) return
    place()
    panel.current?.querySelector<HTMLElement>('input, button')?.focus()
  }, [isOpen])
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button small bare ${extra}`}
        aria-expanded={isOpen}
        onClick={() => panel.current?.togglePopover()}
      >
        {icon && <Icon name={icon} />} {label}
      </button>
      <div
        ref={panel}
        class="popover"
        popover="auto"
        role="group"
        aria-label={label}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen && content}
      </div>
    </>
  )
}
