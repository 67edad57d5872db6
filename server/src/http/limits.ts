/** What a credential has left. `headers` go on its answer. */
export type Allowance = { readonly allowed: boolean; readonly headers: readonly string[] }

type Bucket = { tokens: number; atMs: number }

const MINUTE_MS = 60_000
/** How many are remembered. */
const BUCKETS_MAX = 10_000

/** A bucket per credential: a minute's worth at once, then as fast as it refills. */
export class RateLimiter {
  readonly #limit: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  /** `now` is the machine's time in milliseconds since 1970: no world's clock changes who may call how often. */
  constructor(limitPerMinute: number, now: () => number = Date.now) {
    this.#limit = limitPerMinute
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

  /** The seconds to wait where nothing is left; takes nothing. */
  waitSeconds(credentialId: string): number {
    const bucket = this.#buckets.get(credentialId)
    const tokens = bucket ? this.#tokensAt(bucket, this.#now()) : this.#limit
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * MINUTE_MS) / this.#limit / 1000)
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
    return Math.min(this.#limit, tokens + (passedMs * this.#limit) / MINUTE_MS)
  }

  /** Drops those that are full again; where that is none, the one that has been there longest. */
  #makeRoom(nowMs: number): void {
    for (const [id, bucket] of this.#buckets)
      if (this.#tokensAt(bucket, nowMs) >= this.#limit) this.#buckets.delete(id)
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined && this.#buckets.size >= BUCKETS_MAX) this.#buckets.delete(oldest)
  }

  #headers({ tokens }: Bucket, nowMs: number, allowed: boolean): readonly string[] {
    const msPerToken = MINUTE_MS / this.#limit
    const fullMs = nowMs + (this.#limit - tokens) * msPerToken
    const headers = [
      'X-RateLimit-Limit',
      String(this.#limit),
      'X-RateLimit-Remaining',
      String(Math.floor(tokens)),
      'X-RateLimit-Reset',
      String(Math.ceil(fullMs / 1000)),
    ]
    if (!allowed) headers.push('Retry-After', String(Math.ceil(((1 - tokens) * msPerToken) / 1000)))
    return headers
  }
}
