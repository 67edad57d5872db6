import { RateLimiter } from './http/limits.ts'

/** How often wrong credentials may come from one address. Right ones cost nothing, and none at all are no guess. */
export type Guesses = {
  /** The seconds an address has to wait before its credentials are looked at again; 0 when it need not. */
  waitSeconds(address: string): number
  wrong(address: string): void
}

export function limitGuesses(perMinute: number): Guesses {
  if (perMinute === 0) return { waitSeconds: () => 0, wrong: () => undefined }
  const limiter = new RateLimiter(perMinute)
  return {
    waitSeconds: (address) => limiter.waitSeconds(address),
    wrong: (address) => void limiter.take(address),
  }
}
