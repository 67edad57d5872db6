/** A type with a name of its own, so that two kinds of text or number cannot be swapped. */
export type Brand<Base, Name extends string> = Base & { readonly __name: Name }

export type WorldId = Brand<string, 'WorldId'>
export type AccountId = Brand<string, 'AccountId'>
export type PersonId = Brand<string, 'PersonId'>
export type PartnerId = Brand<string, 'PartnerId'>
export type KeyId = Brand<string, 'KeyId'>
export type OrderId = Brand<string, 'OrderId'>
export type ClientOrderId = Brand<string, 'ClientOrderId'>
export type ExecutionId = Brand<string, 'ExecutionId'>
/** Of a split, a dividend, a symbol change or a delisting. */
export type ActionId = Brand<string, 'ActionId'>
export type AssetId = Brand<string, 'AssetId'>
/** What the tape calls an asset: `AAPL`. */
export type Ticker = Brand<string, 'Ticker'>
/** SHA-256 of a secret, in hex. The secret itself never comes this far. */
export type Digest = Brand<string, 'Digest'>
export type AppId = Brand<string, 'AppId'>
/** An app's public name: 32 hex digits, random because it leads to a world. */
export type ClientId = Brand<string, 'ClientId'>
export type GrantId = Brand<string, 'GrantId'>
export type TokenId = Brand<string, 'TokenId'>
/** Of one of an app's secrets. */
export type SecretId = Brand<string, 'SecretId'>
/** Of a browser in which a person has signed in. */
export type SessionId = Brand<string, 'SessionId'>
/** Of a tokenization request. */
export type RequestId = Brand<string, 'RequestId'>
/** An issuer of tokens, by its short name: `xstocks`. */
export type IssuerCode = Brand<string, 'IssuerCode'>
export type JobId = Brand<string, 'JobId'>
export type WatchlistId = Brand<string, 'WatchlistId'>
/** Of money that came from outside or went there. */
export type TransferId = Brand<string, 'TransferId'>
/** Of money or shares that went from one account to another. */
export type JournalId = Brand<string, 'JournalId'>
