/** Names and values of raw headers. */
export const pairsOf = (raw: readonly string[]): readonly (readonly [string, string])[] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!] as const] : []))

/** Headers of one connection, not of the request. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'upgrade',
])

/** Raw headers without those of the connection. */
export const withoutHops = (raw: readonly string[]): string[] =>
  pairsOf(raw)
    .filter(([name]) => !hopByHop.has(name.toLowerCase()))
    .flat()
