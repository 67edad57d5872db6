import { LruCache } from '@quipu/core/values'

export type PageCache = LruCache<string, Uint8Array>

/** A cache of pages that never change. */
export const pageCache = (maxBytes: number): PageCache => new LruCache(maxBytes, bytesOf)

/** The memory of an entry besides its page and key: the string and array headers and the map slot. */
const ENTRY_BYTES = 300
const bytesOf = (page: Uint8Array, key: string): number => page.length + key.length + ENTRY_BYTES
