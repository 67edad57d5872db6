import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { problemText } from '../format/problem-text.ts'
import { secondText } from '../format/times.ts'
import { nowMs } from '../live/clock.ts'
import { useModal } from '../modal.ts'
import { Icon } from '../parts/icon.tsx'
import { type Found, SHIFT_ENTER } from './found.ts'
import { overlay } from './keys.ts'
import { nextValue, search, startSearch } from './search.ts'

const close = (): void => {
  overlay.value = undefined
}

/** Search and commands: sentences, symbols, orders, requests, screens, operations, docs. */
export function Palette(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [outcome, setOutcome] = useState<Error | 'running'>()
  const isOpen = overlay.value === 'palette'
  const { found, choices, at, move } = useFound(typed, isOpen)
  useLayoutEffect(() => {
    if (!isOpen) return
    setTyped('')
    setOutcome(undefined)
    startSearch()
  }, [isOpen])
  useModal(dialog, close, isOpen)
  useEffect(() => setOutcome(undefined), [typed])
  if (!isOpen) return null
  const chosen = choices[at]
  const run = async (one: Found | undefined) => {
    if (!one || outcome === 'running') return
    if (one.act) {
      setOutcome('running')
      const after = await one.act().catch((error: Error) => void setOutcome(error))
      if (after === undefined) return
      close()
      return after()
    }
    close()
    one.run?.()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) move(step)
    else if (event.key === 'Enter')
      void run(event.shiftKey ? choices.find(({ key }) => key === SHIFT_ENTER) : chosen)
    else if (event.key !== 'Tab' || !chooseValue(event, setTyped)) return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search and commands"
      onKeyDown={onKeyDown}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="query">
        <Icon name="search" />
        <input
          autofocus
          role="combobox"
          aria-label="Search"
          aria-expanded={choices.length > 0}
          aria-controls="palette-results"
          aria-activedescendant={chosen ? `palette-${at}` : undefined}
          placeholder="Symbol, order, request, docs, or crash 6% TSLA in 2m"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <kbd>Esc</kbd>
      </div>
      <Results
        {...{ typed, found, choices, at, run }}
        problem={outcome instanceof Error ? outcome : undefined}
      />
      <Hints isSentence={chosen?.act !== undefined} isRunning={outcome === 'running'} />
    </dialog>
  )
}

/** What the search found for a text, and the result that is chosen: the first one until the viewer moves. */
function useFound(typed: string, isOpen: boolean) {
  const [found, setFound] = useState<readonly Found[]>([])
  // An id: results that come later do not take the place of the chosen one.
  const [chosenId, setChosenId] = useState<string>()
  useEffect(() => {
    if (!isOpen) return undefined
    setChosenId(undefined)
    const closing = new AbortController()
    search(typed, closing.signal, setFound)
    return () => closing.abort()
  }, [typed, isOpen])
  const choices = found.filter(({ isHint }) => !isHint)
  const at = Math.max(
    choices.findIndex(({ id }) => id === chosenId),
    0,
  )
  const move = (step: number): void =>
    setChosenId(choices[(at + step + choices.length) % Math.max(choices.length, 1)]?.id)
  return { found, choices, at, move }
}

type ResultsProps = {
  readonly typed: string
  readonly found: readonly Found[]
  readonly choices: readonly Found[]
  readonly at: number
  readonly problem: Error | undefined
  readonly run: (one: Found) => Promise<void>
}

/** What a sentence lacks, why it was refused, and the results. */
const Results = ({ typed, found, choices, at, problem, run }: ResultsProps): JSX.Element => (
  <>
    {found
      .filter(({ isHint }) => isHint)
      .map(({ id, title }) => (
        <p key={id} class="missing" role="status">
          {title}
        </p>
      ))}
    {problem && (
      <p class="missing of-wrong" role="alert">
        {problemText(problem)}
      </p>
    )}
    <div class="results" id="palette-results" role="listbox" aria-label="Results">
      {choices.map((one, index) => (
        <Result
          key={one.id}
          one={one}
          index={index}
          isFirst={choices[index - 1]?.group !== one.group}
          isChosen={index === at}
          run={() => void run(one)}
        />
      ))}
      {found.length === 0 && typed !== '' && (
        <p class="empty">
          Nothing for “{typed}”. Symbols, order ids, client ids, request ids, operations and docs are
          searched.
        </p>
      )}
    </div>
  </>
)

/** Selects the next value of a sentence, so that the viewer types another one. */
function chooseValue({ target, shiftKey }: KeyboardEvent, setTyped: (text: string) => void): boolean {
  if (!(target instanceof HTMLInputElement)) return false
  const next = nextValue(target.value, target.selectionEnd ?? 0, shiftKey)
  if (!next) return false
  target.value = next.text
  target.setSelectionRange(next.from, next.to)
  setTyped(next.text)
  return true
}

type HintsProps = { readonly isSentence: boolean; readonly isRunning: boolean }

const Hints = ({ isSentence, isRunning }: HintsProps): JSX.Element => (
  <footer>
    {isRunning ? (
      <span role="status">Running</span>
    ) : isSentence ? (
      <span>
        <kbd>Tab</kbd> change a value
      </span>
    ) : (
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> choose
      </span>
    )}
    <span>
      <kbd>↵</kbd> {isSentence ? 'do it' : 'open'}
    </span>
    <span>
      <kbd>?</kbd> all keys
    </span>
    {isSentence && nowMs.value !== undefined && <span class="right">as of {secondText(nowMs.value)}</span>}
  </footer>
)

type ResultProps = {
  readonly one: Found
  readonly index: number
  readonly isFirst: boolean
  readonly isChosen: boolean
  readonly run: () => void
}

function Result({ one, index, isFirst, isChosen, run }: ResultProps): JSX.Element {
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <>
      {isFirst && <h3 role="presentation">{one.group}</h3>}
      <div
        ref={row}
        id={`palette-${index}`}
        class={one.isOfWorld ? 'of-world' : undefined}
        role="option"
        tabIndex={-1}
        aria-selected={isChosen}
        onClick={run}
      >
        <Icon name={one.icon} />
        <span>
          <b>{one.title}</b> <span class="soft">{one.about}</span>
        </span>
        <span>
          {one.key !== undefined && <kbd>{one.key}</kbd>} {one.beside}
        </span>
      </div>
    </>
  )
}
