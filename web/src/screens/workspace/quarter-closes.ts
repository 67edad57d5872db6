/** The closes of the bars of today, by the start of their quarter of an hour. */
export type Curves = ReadonlyMap<string, ReadonlyMap<number, number>>

/** A bar of a minute from the stream. */
export type Minute = { readonly S: string; readonly t: string; readonly c: number }

const MINUTE_MS = 60_000
const QUARTER_MS = 900_000

/** Adds bars of the stream to curves that have all bars until an instant: a stream may be behind the curves. */
export function withMinutes(known: Curves, minutes: readonly Minute[], untilMs: number): Curves {
  if (minutes.length === 0) return known
  const changed = new Map(known)
  for (const { S: symbol, t, c } of minutes) {
    const bars = changed.get(symbol)
    const atMs = Date.parse(t)
    if (bars && atMs + MINUTE_MS > untilMs)
      changed.set(symbol, new Map(bars).set(atMs - (atMs % QUARTER_MS), c))
  }
  return changed
}
