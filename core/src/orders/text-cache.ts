/** Maximum number of cached values of each kind. */
const CACHED_MAX = 10_000

/**
 * Copies a text, because a slice keeps the whole source text in memory. Joined from two pieces, because
 * joining one piece returns the slice itself.
 */
export const flatCopy = (part: string): string => [part.slice(0, 1), part.slice(1)].join('')

/** Caches a function of a text, for texts that repeat often. */
export function cachedByText<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= CACHED_MAX) known.clear()
    const own = flatCopy(text)
    const value = make(own)
    known.set(own, value)
    return value
  }
}

export const textIn = cachedByText((text) => text)
export const bigintIn = cachedByText(BigInt)
