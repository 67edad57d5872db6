/** A client's name for one logical call, with the digest of the body it came with. */
export type IdempotencyKey = { readonly key: string; readonly bodyHash: string }
