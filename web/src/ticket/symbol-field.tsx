import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Asset, assetsOf, findAsset, matching, shortName } from '../live/assets.ts'
import { Icon } from '../parts/icon.tsx'
import { api } from '../session/selection.ts'
import { recentSymbols } from './recent-symbols.ts'
import { SymbolMenu, UnknownSymbol } from './symbol-menu.tsx'
import {
  changeTicket,
  fields,
  isFocusRequested,
  symbolIn,
  typedSymbol,
  typeSymbol,
  unknownSymbol,
} from './ticket-fields.ts'

const SHOWN_MAX = 8
const AFTER_TYPING_MS = 150
const NOT_READ: readonly Asset[] = []

/** The symbol of the order, with a list of matching symbols. */
export function SymbolField(): JSX.Element {
  const [hasFocus, setFocus] = useState(false)
  /** The option that the keyboard has chosen. */
  const [marked, setMarked] = useState('')
  const input = useRef<HTMLInputElement>(null)
  // The symbol before the text in the field.
  const before = useRef('')
  const connection = api.value
  const assets = (connection && assetsOf(connection).value) ?? NOT_READ
  const symbols = useMemo(() => new Set(assets.map((one) => one.symbol)), [assets])
  useLayoutEffect(() => {
    const text = typedSymbol.peek()
    if (text !== undefined && fields.peek().symbol === '') typeSymbol(text, symbols)
  }, [symbols])
  useLayoutEffect(() => takeFocus(input.current), [isFocusRequested.value])
  const { symbol } = fields.value
  const typed = typedSymbol.value
  const isRecent = !typed?.trim()
  const offered = isRecent ? recentOf(assets, symbol) : matching(assets, typed ?? '', SHOWN_MAX)
  const found = hasFocus ? offered : []
  useLayoutEffect(() => selectFocused(input.current, typed), [symbol])
  const name = assets.find((one) => one.symbol === symbol)?.name
  const wanted = symbol === '' ? symbolIn(typed) : ''
  const isBad = wanted !== '' && wanted === unknownSymbol.value
  // Of the recent symbols none is chosen before an arrow key, so that Enter sends the order.
  const markedAt = found.findIndex((one) => one.symbol === marked)
  const at = Math.max(isRecent ? -1 : 0, markedAt)
  useEffect(() => lookUp(wanted), [connection, wanted])
  const choose = (chosen: string) => {
    changeTicket({ symbol: chosen })
    input.current?.form?.querySelector<HTMLInputElement>('[name="size"]')?.select()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (typed === undefined && found.length === 0) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setMarked(found.at((at + step) % Math.max(found.length, 1))?.symbol ?? '')
    else if (event.key === 'Enter' && found[at]) choose(found[at].symbol)
    else if (event.key === 'Escape' && typed !== undefined) changeTicket({ symbol: before.current })
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
            setMarked('')
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
        {symbol === '' ? (
          <Icon name="search" />
        ) : (
          <span class="chosen-mark" title="The symbol is chosen">
            <Icon name="check" />
          </span>
        )}
      </div>
      <SymbolMenu {...{ found, at, choose, isRecent }} />
      {isBad && found.length === 0 && <UnknownSymbol symbol={wanted} />}
    </div>
  )
}

/** The symbols that were ordered last, without the chosen one. */
const recentOf = (assets: readonly Asset[], chosen: string): readonly Asset[] =>
  recentSymbols().flatMap((symbol) =>
    symbol === chosen ? [] : (assets.find((one) => one.symbol === symbol) ?? []),
  )

/** Asks for a symbol that is not in the list: it may have been added since. Returns a function that ends the search. */
function lookUp(wanted: string): (() => void) | undefined {
  const connection = api.peek()
  if (!connection || wanted === '') return undefined
  const closing = new AbortController()
  const timer = setTimeout(() => {
    findAsset(connection, wanted, closing.signal).then(
      (asset) => {
        if (!closing.signal.aborted) unknownSymbol.value = asset ? undefined : wanted
      },
      () => undefined,
    )
  }, AFTER_TYPING_MS)
  return () => {
    clearTimeout(timer)
    closing.abort()
  }
}

/** The screen may choose a symbol while the field has the focus: what is typed next replaces it. */
function selectFocused(input: HTMLInputElement | null, typed: string | undefined): void {
  if (typed === undefined && document.activeElement === input) input?.select()
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
