import type { AssetClass } from '@quipu/core'

export const isCrypto = (symbol: string): boolean => symbol.includes('/')

/** The asset class of a symbol: crypto pairs have a slash. */
export const classOf = (symbol: string): AssetClass => (isCrypto(symbol) ? 'crypto' : 'usEquity')
