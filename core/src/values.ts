/**
 * Values and how they are spelled, without the rules: what a program needs that only asks a server, and starts sooner
 * without the rest.
 */
export type { AddedSymbol } from './market/added.ts'
export { addedSymbolOf } from './market/added-symbol.ts'
export { MARKET_MODEL } from './market/kernel/model.ts'
export * from './result.ts'
export * from './time.ts'
