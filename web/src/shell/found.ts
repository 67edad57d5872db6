import type { IconName } from '../parts/icon.tsx'

/** One result of the search. */
export type Found = {
  readonly id: string
  readonly group: 'Do it' | 'Symbols' | 'Commands' | 'Operations' | 'Orders and requests' | 'Worlds' | 'Docs'
  readonly icon: IconName
  readonly title: string
  readonly about?: string
  readonly beside?: string
  /** The key that runs it, shown beside. */
  readonly key?: string
  /** It acts on a world. */
  readonly isOfWorld?: true
  /** It only says what is missing. */
  readonly isHint?: true
  readonly run?: () => void
  /** As `run`, but the search stays open meanwhile and shows a refusal. What it returns follows when it is closed. */
  readonly act?: () => Promise<() => void>
}

/** The key of a sentence that is done in a fork. */
export const SHIFT_ENTER = 'Shift ↵'
