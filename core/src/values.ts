/**
 * Value types and their formats, without the business rules. For programs that only call a server; loads
 * faster.
 */

export * from './civil-date.ts'
export { definedFields } from './defined-fields.ts'
export { LruCache } from './lru-cache.ts'
export { type AddedSymbol, addedSymbolOf } from './market/assets/added.ts'
export { MARKET_MODEL } from './market/kernel/model.ts'
export * from './records.ts'
export * from './result.ts'
export * from './time.ts'
