import { hash, timingSafeEqual } from 'node:crypto'

/** What a form must bring back: only who holds the cookie can make it, and it does not tell the cookie. */
export const csrfOf = (cookie: string): string => hash('sha256', `quipu form ${cookie}`, 'base64url')

export function isCsrf(cookie: string, given: string | undefined): boolean {
  const wanted = Buffer.from(csrfOf(cookie))
  const came = Buffer.from(given ?? '')
  return came.length === wanted.length && timingSafeEqual(came, wanted)
}
