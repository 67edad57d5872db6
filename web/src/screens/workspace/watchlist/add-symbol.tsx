import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Asset, searchAssets, shortName } from '../../../live/assets.ts'
import { Icon } from '../../../parts/icon.tsx'
import { api } from '../../../session/selection.ts'
import { addSymbol, watchedSymbols } from './watchlist-state.ts'

const FOUND_MAX = 6

/** Finds a symbol and adds it to the list. It stays open for the next one. */
export function AddSymbol({ close }: { readonly close: () => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [found, setFound] = useState<readonly Asset[]>([])
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    const connection = api.peek()
    if (!connection || text.trim() === '') {
      setFound([])
      return undefined
    }
    const closing = new AbortController()
    searchAssets(connection, text, FOUND_MAX, closing.signal).then(
      (assets) => !closing.signal.aborted && setFound(assets),
      () => undefined,
    )
    return () => closing.abort()
  }, [text])
  const add = (asset: Asset | undefined) => {
    if (!asset) return
    setText('')
    void addSymbol(asset.symbol)
    input.current?.focus()
  }
  const known = new Set(watchedSymbols.value)
  return (
    <form
      data-changes
      class="add-symbol"
      onSubmit={(event) => {
        event.preventDefault()
        add(found[0])
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <span class="input">
        <Icon name="search" />
        <input
          ref={input}
          aria-label="Symbol or company to add"
          placeholder="Symbol or company"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </span>
      {found.map((asset) => (
        <button key={asset.symbol} type="button" class="found" onClick={() => add(asset)}>
          <b>{asset.symbol}</b>
          <span class="soft cut-text">{shortName(asset.name)}</span>
          <Icon name={known.has(asset.symbol) ? 'check' : 'plus'} />
        </button>
      ))}
    </form>
  )
}
