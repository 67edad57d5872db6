/** A branded type, so that two kinds of text or number cannot be swapped. */
export type Brand<Base, Name extends string> = Base & { readonly __name: Name }

/** An id that the core generated for an entity that does not exist yet. It may become the id of any kind of entity. */
export type NewId = Brand<string, 'NewId'>
export const newIdOf = (text: string): NewId => text as NewId
/** The id of a kind of entity. */
type EntityId<Name extends string> = Brand<string, Name | 'NewId'>

export type WorldId = Brand<string, 'WorldId'>
export type AccountId = EntityId<'AccountId'>
export type UserId = EntityId<'UserId'>
export type PartnerId = EntityId<'PartnerId'>
export type KeyId = Brand<string, 'KeyId'>
export type OrderId = EntityId<'OrderId'>
export type ClientOrderId = EntityId<'ClientOrderId'>
export type ExecutionId = EntityId<'ExecutionId'>
/** Id of a corporate action. */
export type ActionId = EntityId<'ActionId'>
export type AssetId = Brand<string, 'AssetId'>
/** A symbol, such as `AAPL`. */
export type Ticker = Brand<string, 'Ticker'>
/** Any text may be a symbol; the assets of a market say which exist. */
export const tickerOf = (text: string): Ticker => text as Ticker
/** SHA-256 of a secret, in hex. The core never sees the secret itself. */
export type Digest = Brand<string, 'Digest'>
export const digestOfHex = (digits: string): Digest => digits as Digest
export type AppId = EntityId<'AppId'>
/** An app's public id: 32 random hex digits. Random, because it selects a world. */
export type ClientId = Brand<string, 'ClientId'>
export type GrantId = EntityId<'GrantId'>
export type TokenId = EntityId<'TokenId'>
/** Id of one of an app's secrets. */
export type SecretId = EntityId<'SecretId'>
/** Id of a browser session. */
export type SessionId = EntityId<'SessionId'>
export type PasskeyId = EntityId<'PasskeyId'>
/** Id of a tokenization request. */
export type RequestId = EntityId<'RequestId'>
/** An issuer's short name, such as `xstocks`. */
export type IssuerCode = Brand<string, 'IssuerCode'>
export type JobId = Brand<string, 'JobId'>
export type WatchlistId = EntityId<'WatchlistId'>
/** Id of a stored run of a program. */
export type RunId = EntityId<'RunId'>
/** Id of a deposit or withdrawal. */
export type TransferId = EntityId<'TransferId'>
/** Id of a book transfer between two accounts. */
export type BookTransferId = EntityId<'BookTransferId'>
/** Id of a durable world's ledger. Random: a reset, a fork and a loaded file have a new one. */
export type LedgerId = Brand<string, 'LedgerId'>
/** Id of a book transfer between two worlds: the sender's ledger and the id of the book transfer there. Unique in all worlds. */
export type TransitId = Brand<string, 'TransitId'>
