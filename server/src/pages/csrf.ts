import { hash, timingSafeEqual } from 'node:crypto'

/** The CSRF token of a form: only the holder of the cookie can compute it, and it does not reveal the cookie. */
export const csrfOf = (cookie: string): string => hash('sha256', `quipu form ${cookie}`, 'base64url')

export function isCsrf(cookie: string, token: string | undefined): boolean {
  const wanted = Buffer.from(csrfOf(cookie))
  const received = Buffer.from(token ?? '')
  return received.length === wanted.length && timingSafeEqual(received, wanted)
}
