import { type IssuerCode, type Listing, type Ticker, TOKENIZED } from '@quipu/core'
import { networks } from '../chain/networks.ts'

export type BuiltinIssuer = {
  readonly code: IssuerCode
  readonly name: string
  readonly listings: readonly Listing[]
}

/** Well-known shares on every network, with the token symbols of these issuers. */
const listed = (tokenSymbol: (underlying: Ticker) => string): readonly Listing[] =>
  TOKENIZED.map((underlying) => ({ underlying, tokenSymbol: tokenSymbol(underlying), networks }))

export const builtinIssuers: readonly BuiltinIssuer[] = [
  { code: 'xstocks' as IssuerCode, name: 'xStocks', listings: listed((symbol) => `${symbol}x`) },
  { code: 'st0x' as IssuerCode, name: 'st0x', listings: listed((symbol) => `t${symbol}`) },
]
