/** A branded type, so that two kinds of text or number cannot be swapped. */
export type Brand<Base, Name extends string> = Base & { readonly __name: Name }

export type WorldId = Brand<string, 'WorldId'>
export type AccountId = Brand<string, 'AccountId'>
export type UserId = Brand<string, 'UserId'>
export type PartnerId = Brand<string, 'PartnerId'>
export type KeyId = Brand<string, 'KeyId'>
export type OrderId = Brand<string, 'OrderId'>
export type ClientOrderId = Brand<string, 'ClientOrderId'>
export type ExecutionId = Brand<string, 'ExecutionId'>
/** Id of a corporate action. */
export type ActionId = Brand<string, 'ActionId'>
export type AssetId = Brand<string, 'AssetId'>
/** A symbol, such as `AAPL`. */
export type Ticker = Brand<string, 'Ticker'>
/** Any text may be a symbol; the assets of a market say which exist. */
export const tickerOf = (text: string): Ticker => text as Ticker
/** SHA-256 of a secret, in hex. The core never sees the secret itself. */
export type Digest = Brand<string, 'Digest'>
export type AppId = Brand<string, 'AppId'>
/** An app's public id: 32 random hex digits. Random, because it selects a world. */
export type ClientId = Brand<string, 'ClientId'>
export type GrantId = Brand<string, 'GrantId'>
export type TokenId = Brand<string, 'TokenId'>
/** Id of one of an app's secrets. */
export type SecretId = Brand<string, 'SecretId'>
/** Id of a browser session. */
export type SessionId = Brand<string, 'SessionId'>
export type PasskeyId = Brand<string, 'PasskeyId'>
/** Id of a tokenization request. */
export type RequestId = Brand<string, 'RequestId'>
/** An issuer's short name, such as `xstocks`. */
export type IssuerCode = Brand<string, 'IssuerCode'>
export type JobId = Brand<string, 'JobId'>
export type WatchlistId = Brand<string, 'WatchlistId'>
/** Id of a deposit or withdrawal. */
export type TransferId = Brand<string, 'TransferId'>
/** Id of a book transfer between two accounts. */
export type BookTransferId = Brand<string, 'BookTransferId'>
/** Id of the ledger of a durable world. Random: a reset, a fork and a loaded file have a new one. */
export type LedgerId = Brand<string, 'LedgerId'>
/** Id of a book transfer between two worlds: the sender's ledger and the id of the book transfer there. Unique in all worlds. */
export type TransitId = Brand<string, 'TransitId'>
