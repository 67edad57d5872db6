import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useReducer, useRef, useState } from 'preact/hooks'
import type StoryCard from './story-card.tsx'
import { STORY_EVENT } from './story-key.ts'
import type { AmountSubject, Subject } from './story-state.ts'

type StoryProps = {
  readonly subject: Subject | AmountSubject
  /** More of the same place, shown after it one at a time. */
  readonly others?: readonly Subject[]
  readonly children: ComponentChildren
  /** The cell has a link or a button already, whose focus opens the card, or its row takes the focus. */
  readonly hasFocus?: boolean
}

/** The pointer rests this long on a cell before its story is read, so that crossing a table asks nothing. */
const REST_MS = 250
/** The pointer may take this long from the cell to the card. */
const LEAVE_MS = 200
const PRESS_MS = 450

let loading: Promise<{ readonly default: typeof StoryCard }> | undefined
let Card: typeof StoryCard | undefined

async function load(): Promise<void> {
  loading ??= import('./story-card.tsx')
  try {
    Card = (await loading).default
  } catch (error) {
    loading = undefined
    throw error
  }
}

/**
 * Wraps a cell whose story opens while the pointer or the focus is on it, with `w` on its row, and on a phone with a long
 * press.
 */
export function Story({ subject, others, children, hasFocus = false }: StoryProps): JSX.Element {
  const cell = useRef<HTMLSpanElement>(null)
  const wasPressed = useRef(false)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const after = useTimer()
  const open = (): void =>
    void load().then(
      () => setOpen(true),
      () => undefined,
    )
  const close = (): void => after(0, () => setOpen(false))
  useClosing(isOpen, cell, close)
  const isByKey = useKey(cell, isOpen, open)
  return (
    <span
      ref={cell}
      class="story-cell"
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && after(REST_MS, open)}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && after(LEAVE_MS, () => setOpen(false))}
      onPointerDown={({ pointerType }) => {
        wasPressed.current = false
        if (pointerType === 'touch' && !isOpen)
          after(PRESS_MS, () => {
            wasPressed.current = true
            open()
          })
      }}
      onPointerUp={({ pointerType }) => pointerType === 'touch' && after(0, () => undefined)}
      onPointerCancel={() => after(0, () => undefined)}
      onContextMenu={(event) => wasPressed.current && event.preventDefault()}
      onClickCapture={(event) => {
        // The end of a long press is no click on the row.
        if (!wasPressed.current) return
        wasPressed.current = false
        event.preventDefault()
        event.stopPropagation()
      }}
      onFocusIn={({ target }) =>
        !isByKey.current && (target as Element).matches(':focus-visible') && after(REST_MS, open)
      }
      onFocusOut={({ relatedTarget }) => {
        if (!cell.current?.contains(relatedTarget as Node | null)) close()
      }}
    >
      {hasFocus ? (
        children
      ) : (
        <span class="story-focus" tabIndex={0} role="button" aria-expanded={isOpen} onKeyDown={onEnter(open)}>
          {children}
        </span>
      )}
      {isOpen && Card && (
        <Card
          subjects={[subject, ...(others ?? [])]}
          anchor={cell.current!}
          id={id}
          takesFocus={isByKey.current}
        />
      )}
    </span>
  )
}

/** Opens the card for a key. The focus goes into it, and back to where it was when the card closes. */
function useKey(
  cell: { readonly current: HTMLElement | null },
  isOpen: boolean,
  open: () => void,
): { readonly current: boolean } {
  const isByKey = useRef(false)
  const before = useRef<HTMLElement>(undefined)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const onKey = (): void => {
      isByKey.current = true
      before.current = document.activeElement as HTMLElement
      open()
      redraw(undefined)
    }
    const listening = cell.current
    listening?.addEventListener(STORY_EVENT, onKey)
    return () => listening?.removeEventListener(STORY_EVENT, onKey)
  }, [])
  useEffect(() => {
    if (isOpen || !isByKey.current) return
    // The focus that comes back must not open the card again.
    if (document.activeElement === document.body) before.current?.focus({ preventScroll: true })
    isByKey.current = false
  }, [isOpen])
  return isByKey
}

const onEnter =
  (run: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    event.stopPropagation()
    run()
  }

/** Runs one thing later; the next one takes its place. */
function useTimer(): (ms: number, run: () => void) => void {
  const timer = useRef<number>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (ms, run) => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(run, ms)
  }
}

/** Escape, a scroll elsewhere and a touch elsewhere close the card. */
function useClosing(
  isOpen: boolean,
  cell: { readonly current: HTMLElement | null },
  close: () => void,
): void {
  useEffect(() => {
    if (!isOpen) return undefined
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      close()
    }
    const onElsewhere = ({ target }: Event): void => {
      if (!cell.current?.contains(target as Node)) close()
    }
    addEventListener('keydown', onKey, true)
    addEventListener('pointerdown', onElsewhere)
    addEventListener('scroll', onElsewhere, true)
    return () => {
      removeEventListener('keydown', onKey, true)
      removeEventListener('pointerdown', onElsewhere)
      removeEventListener('scroll', onElsewhere, true)
    }
  }, [isOpen])
}
