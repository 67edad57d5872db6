/** An event as it is stored: `open` is hashed, `sealed` (digests of secrets) is not. Each is one line of JSON. */
export type Entry = { readonly open: string; readonly sealed?: string }
