/** A stored event: `open` is hashed, `sealed` (digests of secrets) is not. Each part is one line of JSON. */
export type Entry = { readonly open: string; readonly sealed?: string }
