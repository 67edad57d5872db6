/** A client's key for one logical call, with a digest of the request body. */
export type IdempotencyKey = { readonly key: string; readonly bodyHash: string }
