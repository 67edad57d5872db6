import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Asset, findAsset, shortName } from '../live/assets.ts'
import { Icon } from '../parts/icon.tsx'
import { actingOperator } from '../session/connections.ts'
import { api, worldName } from '../session/selection.ts'
import { isOperator } from '../session/session.ts'
import { changeTicket } from './ticket-fields.ts'

type MenuProps = {
  readonly found: readonly Asset[]
  readonly at: number
  readonly choose: (symbol: string) => void
  readonly isRecent: boolean
}

/** The symbols to choose from. */
export const SymbolMenu = ({ found, at, choose, isRecent }: MenuProps): JSX.Element => (
  <div
    class="menu"
    id="ticket-symbols"
    role="listbox"
    aria-label={isRecent ? 'Recent symbols' : 'Symbols'}
    hidden={found.length === 0}
  >
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
)

/** The text is not a symbol of the world. An operator can make it one. */
export function UnknownSymbol({ symbol }: { readonly symbol: string }): JSX.Element {
  const [problem, setProblem] = useState<string>()
  const world = worldName.value
  const add = (): void => {
    actingOperator()
      .client.createAsset({ params: { world }, body: { symbol } })
      .then(() => findAsset(api.peek()!, symbol, new AbortController().signal))
      .then(
        () => changeTicket({ symbol }),
        (error: Error) => setProblem(error.message),
      )
  }
  return (
    <div class="note wrong" role="alert">
      <Icon name="warning" />
      <b>Choose a symbol</b>
      <p>
        “{symbol}” is not listed in {world}. The button is off until a symbol is chosen.
      </p>
      {isOperator.value && problem === undefined && (
        <div class="actions">
          <button data-changes type="button" class="button small" onClick={add}>
            Add {symbol} to this world
          </button>
        </div>
      )}
      {problem !== undefined && <p>{problem}</p>}
    </div>
  )
}
