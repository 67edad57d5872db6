/** A budget of requests. Clients that share the object share the budget. */
export type RateLimit = {
  readonly requests: number
  readonly perMs: number
}

/** The times of the last requests of each budget. */
const starts = new WeakMap<RateLimit, number[]>()

/** Takes a place in the budget. Returns the milliseconds until it begins; requests start in the order of their calls. */
export function takeSlot(limit: RateLimit, now = Date.now()): number {
  const taken = starts.get(limit) ?? []
  starts.set(limit, taken)
  const oldest = taken.length < limit.requests ? undefined : taken.shift()
  const start = oldest === undefined ? now : Math.max(now, oldest + limit.perMs)
  taken.push(start)
  return start - now
}
