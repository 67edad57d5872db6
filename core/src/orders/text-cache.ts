/** Maximum number of cached values of each kind. */
const CACHED_MAX = 10_000

/**
 * Copies a text, because a slice keeps the whole source text in memory. Joined from two pieces, because
 * joining one piece returns the slice itself.
 */
export const flatCopy = (part: string): string => [part.slice(0, 1), part.slice(1)].join('')

/** Caches a function of a text, for texts that repeat often. */
export function cachedByText<Value>(make: (text: string) => Value): (text: string) => Value {
  const cache = new Map<string, Value>()
  return (text) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    if (cache.size >= CACHED_MAX) cache.clear()
    const key = flatCopy(text)
    const value = make(key)
    cache.set(key, value)
    return value
  }
}

export const textIn = cachedByText((text) => text)
export const bigintIn = cachedByText(BigInt)
