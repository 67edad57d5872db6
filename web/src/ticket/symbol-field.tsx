import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Asset, assetsOf, matching, shortName } from '../live/assets.ts'
import { Icon } from '../parts/icon.tsx'
import { api } from '../session/selection.ts'
import { changeTicket, fields, isFocusRequested, typedSymbol, typeSymbol } from './ticket-fields.ts'

const SHOWN_MAX = 8

/** The symbol of the order, with a list of matching symbols. */
export function SymbolField(): JSX.Element {
  const [assets, setAssets] = useState<readonly Asset[]>([])
  const [hasFocus, setFocus] = useState(false)
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  // The symbol before the text in the field.
  const before = useRef('')
  const symbols = useMemo(() => new Set(assets.map(({ symbol }) => symbol)), [assets])
  const connection = api.value
  useEffect(() => {
    if (connection) assetsOf(connection).then(setAssets, () => setAssets([]))
  }, [connection])
  useLayoutEffect(() => {
    const text = typedSymbol.peek()
    if (text !== undefined && fields.peek().symbol === '') typeSymbol(text, symbols)
  }, [symbols])
  useLayoutEffect(() => takeFocus(input.current), [isFocusRequested.value])
  const { symbol } = fields.value
  const typed = typedSymbol.value
  const found = typed === undefined || !hasFocus ? [] : matching(assets, typed, SHOWN_MAX)
  const name = assets.find((one) => one.symbol === symbol)?.name
  const isBad = symbol === '' && typed !== undefined && typed.trim() !== ''
  const choose = (chosen: string) => {
    changeTicket({ symbol: chosen })
    input.current?.form?.querySelector<HTMLInputElement>('[name="size"]')?.select()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (typed === undefined) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((at + step + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter' && found[at]) choose(found[at].symbol)
    else if (event.key === 'Escape') changeTicket({ symbol: before.current })
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="symbol">
      <div class={`input ${isBad && found.length === 0 ? 'bad' : ''}`}>
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
          aria-invalid={isBad}
          onInput={({ currentTarget }) => {
            if (typed === undefined) before.current = symbol
            typeSymbol(currentTarget.value, symbols)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          onFocus={() => setFocus(true)}
          onBlur={() => {
            setFocus(false)
            // The ticket may have changed since this was drawn: a choice in the list moves the focus.
            const chosen = fields.peek().symbol
            if (chosen !== '') changeTicket({ symbol: chosen })
          }}
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

/** Puts the cursor into the ticket before the next key: a viewer types b and a quantity without a pause. */
function takeFocus(input: HTMLInputElement | null): void {
  if (!isFocusRequested.value) return
  isFocusRequested.value = false
  // With a symbol the quantity comes next.
  const isMissing = fields.value.symbol === ''
  const next = isMissing ? input : input?.form?.querySelector<HTMLInputElement>('[name="size"]')
  next?.focus()
  if (!isMissing) next?.select()
}
