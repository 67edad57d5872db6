/** Symbols by channel. */
export type Lists = ReadonlyMap<string, ReadonlySet<string>>

/** The symbols that are in `one` and not in `other`, without empty channels. */
export function difference(one: Lists, other: Lists): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [channel, symbols] of one) {
    const more = [...symbols].filter((symbol) => !other.get(channel)?.has(symbol))
    if (more.length > 0) found[channel] = more
  }
  return found
}
