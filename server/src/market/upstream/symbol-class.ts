import type { AssetClass } from '@quipu/core'

export const isCrypto = (symbol: string): boolean => symbol.includes('/')

/** The class of a symbol as its spelling says it: pairs have a slash. */
export const classOf = (symbol: string): AssetClass => (isCrypto(symbol) ? 'crypto' : 'usEquity')
