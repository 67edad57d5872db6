import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Asset, assetsOf, matching, shortName } from '../live/assets.ts'
import { Icon } from '../parts/icon.tsx'
import { api } from '../session/selection.ts'
import { changeTicket, fields, isFocusRequested } from './ticket-fields.ts'

const SHOWN_MAX = 8

/** The symbol of the order, with a list of matching symbols. */
export function SymbolField(): JSX.Element {
  const [assets, setAssets] = useState<readonly Asset[]>([])
  const [typed, setTyped] = useState<string>()
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const connection = api.value
  useEffect(() => {
    if (connection) assetsOf(connection).then(setAssets, () => setAssets([]))
  }, [connection])
  // Before the next key: a viewer types b and a quantity without a pause.
  useLayoutEffect(() => {
    if (!isFocusRequested.value) return
    isFocusRequested.value = false
    // With a symbol the quantity comes next.
    const isMissing = fields.value.symbol === ''
    const size = input.current?.form?.querySelector<HTMLInputElement>('[name="size"]')
    const next = isMissing ? input.current : size
    next?.focus()
    if (!isMissing) next?.select()
  }, [isFocusRequested.value])
  const { symbol } = fields.value
  const found = typed === undefined ? [] : matching(assets, typed, SHOWN_MAX)
  const name = assets.find((one) => one.symbol === symbol)?.name
  const choose = (chosen: string) => {
    changeTicket({ symbol: chosen })
    setTyped(undefined)
    input.current?.form?.querySelector<HTMLInputElement>('[name="size"]')?.select()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (typed === undefined) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((at + step + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter' && found[at]) choose(found[at].symbol)
    else if (event.key === 'Escape') setTyped(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="symbol">
      <div class="input">
        <input
          ref={input}
          name="symbol"
          role="combobox"
          aria-label="Symbol"
          aria-expanded={found.length > 0}
          aria-controls="ticket-symbols"
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          placeholder="Symbol or company"
          value={typed ?? symbol}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setTimeout(() => setTyped(undefined), 150)}
        />
        {typed === undefined && name !== undefined && <span class="soft cut-text">{shortName(name)}</span>}
        <Icon name="search" />
      </div>
      <div class="menu" id="ticket-symbols" role="listbox" aria-label="Symbols" hidden={found.length === 0}>
        {found.map((asset, index) => (
          <div
            key={asset.symbol}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            class={index === at ? 'chosen' : ''}
            onPointerDown={() => choose(asset.symbol)}
          >
            <b>{asset.symbol}</b>
            <span class="soft cut-text">{shortName(asset.name)}</span>
          </div>
        ))}
      </div>
    </div>
  )
}
