import { signal } from '@preact/signals'
import type { JSX } from 'preact'

const SHOWN_MS = 6000
const toasts = signal<readonly { readonly id: number; readonly text: string }[]>([])
let count = 0

/** Shows a message about something that happened elsewhere. It never holds the only copy of a message. */
export function toast(text: string): void {
  const id = ++count
  toasts.value = [...toasts.value.slice(-3), { id, text }]
  setTimeout(() => {
    toasts.value = toasts.value.filter((one) => one.id !== id)
  }, SHOWN_MS)
}

export const Toasts = (): JSX.Element => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text }) => (
      <div class="toast" key={id}>
        {text}
      </div>
    ))}
  </div>
)
