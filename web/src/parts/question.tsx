import { signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { useModal } from '../modal.ts'

/** A question before something that cannot be undone. */
export type Question = {
  readonly title: string
  /** What will happen, with numbers. */
  readonly effect: ComponentChildren
  /** The safe choice, such as "Keep them". */
  readonly keep: string
  /** The verb and the object, such as "Close 6 positions". */
  readonly confirm: string
}

const asked = signal<(Question & { readonly answer: (confirmed: boolean) => void }) | undefined>(undefined)

/** Asks once. Resolves with true if the viewer confirms. */
export const ask = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    asked.value?.answer(false)
    asked.value = {
      ...question,
      answer: (confirmed) => {
        asked.value = undefined
        resolve(confirmed)
      },
    }
  })

/** Where questions appear. The safe button has the focus. */
export function QuestionDialog(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null)
  const question = asked.value
  useModal(dialog, () => asked.peek()?.answer(false), question !== undefined)
  if (!question) return null
  return (
    <dialog ref={dialog} class="question" aria-labelledby="question-title">
      <h2 id="question-title">{question.title}</h2>
      <p class="soft">{question.effect}</p>
      <div class="actions">
        <button type="button" class="button" autofocus onClick={() => question.answer(false)}>
          {question.keep} <kbd>Esc</kbd>
        </button>
        <button type="button" class="button wrong" onClick={() => question.answer(true)}>
          {question.confirm}
        </button>
      </div>
    </dialog>
  )
}
