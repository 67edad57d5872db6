import type { Ticker } from '../../ids.ts'
import type { View } from '../../state/state.ts'
import type { AddedSymbol, NamedSymbol } from './added.ts'
import type { Asset } from './asset.ts'
import { builtInListing } from './assets.ts'

/** A ticker of the United States: one to five letters, and a class such as `.B`. */
const TICKER = /^[A-Z]{1,5}(\.[A-Z])?$/
/** Symbols such as FAULT.X have effects of their own. */
const MAGIC = 'FAULT.'

type FirstUseView = Pick<View, 'settings' | 'symbols' | 'actions' | 'followed'>

/** Whether a world lists unknown tickers on first use. One that follows another has only copies of its changes. */
export const listsOnFirstUse = ({
  settings,
  followed,
}: Pick<FirstUseView, 'settings' | 'followed'>): boolean =>
  settings?.anySymbol === true && settings.market !== 'replay' && followed === undefined

/** How many symbols a world has listed on first use. */
export function firstUses({ symbols }: Pick<View, 'symbols'>): number {
  let count = 0
  for (const { onFirstUse } of symbols.values()) if (onFirstUse) count += 1
  return count
}

/** The named symbols that a world lists now, each once: unknown ones, and no more than the limit allows. */
export function newSymbols(
  view: FirstUseView,
  asset: (symbol: Ticker) => Asset | undefined,
  named: readonly NamedSymbol[],
  max: number,
): readonly AddedSymbol[] {
  if (!listsOnFirstUse(view)) return []
  const bySymbol = new Map(named.map((one) => [one.symbol, one]))
  const unknown = [...bySymbol.values()].filter(({ symbol }) => !asset(symbol) && canBeNew(view, symbol))
  if (unknown.length === 0) return []
  return unknown.slice(0, Math.max(0, max - firstUses(view))).map((one) => ({ ...one, onFirstUse: true }))
}

/**
 * Whether an unknown symbol can be listed on first use. One that was renamed stays away, and so does the new name of
 * another one.
 */
export const canBeNew = ({ symbols, actions }: Pick<View, 'symbols' | 'actions'>, symbol: Ticker): boolean =>
  TICKER.test(symbol) &&
  !symbol.startsWith(MAGIC) &&
  !symbols.has(symbol) &&
  !builtInListing().assets.has(symbol) &&
  ![...actions.values()].some((action) => action.kind === 'symbolChange' && action.newSymbol === symbol)
