import type { IncomingMessage } from 'node:http'
import { forwarded } from './client-address.ts'
import type { Services } from './services.ts'

/** Where clients reach this server: QUIPU_PUBLIC_URL, else where it listens. Without a slash at its end. */
export const publicUrlOf = ({ here: { url } }: Pick<Services, 'here'>): string =>
  url.endsWith('/') ? url.replace(/\/+$/, '') : url

/** The same with the scheme that the client used, as far as a trusted proxy in front reports it. */
export function urlAsked(
  { headers }: IncomingMessage,
  services: Pick<Services, 'here' | 'trustProxy'>,
): string {
  const url = publicUrlOf(services)
  if (!services.trustProxy || services.here.publicUrl !== undefined) return url
  const scheme = forwarded(headers['x-forwarded-proto'])
  return scheme === 'https' || scheme === 'http' ? url.replace(/^https?/, scheme) : url
}
