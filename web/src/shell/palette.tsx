import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { overlay } from './keys.ts'
import { type Found, search } from './search.ts'

/** Search and commands: symbols, orders, requests, screens, docs. */
export function Palette(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<readonly Found[]>([])
  const [at, setAt] = useState(0)
  const isOpen = overlay.value === 'palette'
  useLayoutEffect(() => {
    if (!isOpen) return
    setTyped('')
    setAt(0)
    dialog.current?.showModal()
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return undefined
    const closing = new AbortController()
    search(typed, closing.signal, (results) => {
      setFound(results)
      setAt((before) => Math.min(before, Math.max(results.length - 1, 0)))
    })
    return () => closing.abort()
  }, [typed, isOpen])
  if (!isOpen) return null
  const close = () => {
    overlay.value = undefined
  }
  const run = (one: Found | undefined) => {
    if (!one) return
    close()
    one.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((at + step + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter') run(found[at])
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search and commands"
      onClose={close}
      onKeyDown={onKeyDown}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="query">
        <Icon name="search" />
        <input
          autofocus
          role="combobox"
          aria-label="Search"
          aria-expanded={found.length > 0}
          aria-controls="palette-results"
          aria-activedescendant={found[at] ? `palette-${at}` : undefined}
          placeholder="Symbol, order, request, screen or docs"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <kbd>Esc</kbd>
      </div>
      <div class="results" id="palette-results" role="listbox" aria-label="Results">
        {found.map((one, index) => (
          <Result
            key={one.id}
            one={one}
            index={index}
            isFirst={found[index - 1]?.group !== one.group}
            isChosen={index === at}
            run={() => run(one)}
          />
        ))}
        {found.length === 0 && typed !== '' && (
          <p class="empty">
            Nothing for “{typed}”. Symbols, order ids, client ids, request ids and docs are searched.
          </p>
        )}
      </div>
      <Hints />
    </dialog>
  )
}

const Hints = (): JSX.Element => (
  <footer>
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> choose
    </span>
    <span>
      <kbd>↵</kbd> open
    </span>
    <span>
      <kbd>?</kbd> all keys
    </span>
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
  return (
    <>
      {isFirst && <h3 role="presentation">{one.group}</h3>}
      <div id={`palette-${index}`} role="option" tabIndex={-1} aria-selected={isChosen} onClick={run}>
        <Icon name={one.icon} />
        <span>
          <b>{one.title}</b> <span class="soft">{one.about}</span>
        </span>
        <span>{one.beside}</span>
      </div>
    </>
  )
}
