import { computed, signal } from '@preact/signals'
import { session } from '../session/session.ts'

/** The world with a played day, made when it is first wanted. */
export const DEMO = 'demo'

/** What a new user does first, in the order of the list. */
export const firstStepNames = ['order', 'crash', 'why', 'fork', 'bot'] as const
export type FirstStep = (typeof firstStepNames)[number]

/** What became of a step: when it was noticed, by the clock of the machine, and what happened. */
export type DoneStep = { readonly at: string; readonly text: string; readonly href?: string }

type Kept = { readonly isHidden?: boolean; readonly done: Partial<Readonly<Record<FirstStep, DoneStep>>> }

/** The browser keeps what happened: a world that is deleted later does not undo a step. */
const key = computed(() => `quipu-first-steps ${session.value?.user_id}`)
const changes = signal(0)

const kept = computed<Kept>(() => {
  void changes.value
  const text = localStorage.getItem(key.value)
  return text === null ? { done: {} } : JSON.parse(text)
})

function keep(change: Partial<Kept>): void {
  localStorage.setItem(key.peek(), JSON.stringify({ ...kept.peek(), ...change }))
  changes.value += 1
}

export const doneSteps = computed(() => kept.value.done)
export const areStepsHidden = computed(() => kept.value.isHidden === true)
export const hideSteps = (isHidden: boolean): void => keep({ isHidden })

/** Marks a step as done, once. */
export function noteStep(step: FirstStep, text: string, href?: string): void {
  const { done } = kept.peek()
  if (session.peek() == null || done[step]) return
  const at = new Date().toISOString()
  keep({ done: { ...done, [step]: { at, text, ...(href !== undefined && { href }) } } })
}
