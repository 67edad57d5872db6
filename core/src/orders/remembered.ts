/** How many values are remembered, of each kind. */
const REMEMBERED_MAX = 10_000

/**
 * A copy: what is cut out of a text keeps all of that text in memory for as long as it lives itself. Put together of
 * two pieces, because a list of one piece gives that piece itself.
 */
export const copyOf = (part: string): string => [part.slice(0, 1), part.slice(1)].join('')

/** Makes a value of a text, once for texts that come again and again: it is shared by all who ask. */
export function remembering<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= REMEMBERED_MAX) known.clear()
    const own = copyOf(text)
    const value = make(own)
    known.set(own, value)
    return value
  }
}

export const textIn = remembering((text) => text)
export const bigintIn = remembering(BigInt)
