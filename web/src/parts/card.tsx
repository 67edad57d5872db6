import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

type CardProps = {
  readonly title: ComponentChildren
  /** What stands beside the title. */
  readonly beside?: ComponentChildren
  readonly footer?: ComponentChildren
  readonly class?: string
  readonly children?: ComponentChildren
}

/** A titled part of a screen. */
export function Card({ title, beside, footer, class: extra = '', children }: CardProps): JSX.Element {
  const id = useId()
  return (
    <section class={`card ${extra}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {beside}
      </header>
      {children}
      {footer !== undefined && <footer>{footer}</footer>}
    </section>
  )
}
