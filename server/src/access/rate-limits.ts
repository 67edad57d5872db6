/** What a credential has left. `headers` go on its answer. */
export type Allowance = { readonly allowed: boolean; readonly headers: readonly string[] }

type Bucket = { tokens: number; atMs: number }

const MINUTE_MS = 60_000
/** How many are remembered. */
const BUCKETS_MAX = 10_000
/** All of them are looked through this often at most: whoever brings many names cannot have us search all day. */
const SWEEP_MS = 1000

/** Shown where no limit is set: clients that pace themselves by the headers never wait. */
const UNLIMITED = 1_000_000_000

/** The headers of a response that takes nothing from an allowance. A limit of zero is none. */
export function uncountedHeaders(limit: number, nowMs: number = Date.now()): readonly string[] {
  const all = String(limit === 0 ? UNLIMITED : limit)
  return rateHeaders(all, all, nowMs)
}

const rateHeaders = (limit: string, remaining: string, resetMs: number): string[] => [
  'X-RateLimit-Limit',
  limit,
  'X-RateLimit-Remaining',
  remaining,
  'X-RateLimit-Reset',
  String(Math.ceil(resetMs / 1000)),
]

/** A bucket per credential: a minute's worth at once, or another window's, then as fast as it refills. */
export class RateLimiter {
  readonly #limit: number
  readonly #windowMs: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()
  #sweptMs = Number.NEGATIVE_INFINITY

  /** `now` is the machine's time in milliseconds since 1970: no world's clock changes who may call how often. */
  constructor(limit: number, now: () => number = Date.now, windowMs = MINUTE_MS) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#now = now
  }

  take(credentialId: string): Allowance {
    const nowMs = this.#now()
    const bucket = this.#bucket(credentialId, nowMs)
    bucket.tokens = this.#tokensAt(bucket, nowMs)
    bucket.atMs = nowMs
    const allowed = bucket.tokens >= 1
    if (allowed) bucket.tokens -= 1
    return { allowed, headers: this.#headers(bucket, nowMs, allowed) }
  }

  /** What was taken for nothing is put back. */
  giveBack(credentialId: string): void {
    const bucket = this.#buckets.get(credentialId)
    if (bucket) bucket.tokens = Math.min(this.#limit, bucket.tokens + 1)
  }

  /** Nobody has taken anything, or all of it is forgotten. */
  get isEmpty(): boolean {
    return this.#buckets.size === 0
  }

  /** The seconds to wait where nothing is left; takes nothing. */
  waitSeconds(credentialId: string): number {
    const bucket = this.#buckets.get(credentialId)
    const tokens = bucket ? this.#tokensAt(bucket, this.#now()) : this.#limit
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * this.#windowMs) / this.#limit / 1000)
  }

  #bucket(credentialId: string, nowMs: number): Bucket {
    const known = this.#buckets.get(credentialId)
    if (known) return known
    if (this.#buckets.size >= BUCKETS_MAX) this.#makeRoom(nowMs)
    const fresh = { tokens: this.#limit, atMs: nowMs }
    this.#buckets.set(credentialId, fresh)
    return fresh
  }

  #tokensAt({ tokens, atMs }: Bucket, nowMs: number): number {
    // The machine's clock may be set back; time then stands still for the bucket.
    const passedMs = Math.max(0, nowMs - atMs)
    return Math.min(this.#limit, tokens + (passedMs * this.#limit) / this.#windowMs)
  }

  /** Drops those that are full again; where that is none, the one that has been there longest. */
  #makeRoom(nowMs: number): void {
    if (Math.abs(nowMs - this.#sweptMs) >= SWEEP_MS) {
      this.#sweptMs = nowMs
      for (const [id, bucket] of this.#buckets)
        if (this.#tokensAt(bucket, nowMs) >= this.#limit) this.#buckets.delete(id)
    }
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined && this.#buckets.size >= BUCKETS_MAX) this.#buckets.delete(oldest)
  }

  #headers({ tokens }: Bucket, nowMs: number, allowed: boolean): readonly string[] {
    const msPerToken = this.#windowMs / this.#limit
    const fullMs = nowMs + (this.#limit - tokens) * msPerToken
    const headers = rateHeaders(String(this.#limit), String(Math.floor(tokens)), fullMs)
    if (!allowed) headers.push('Retry-After', String(Math.ceil(((1 - tokens) * msPerToken) / 1000)))
    return headers
  }
}
