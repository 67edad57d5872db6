import type { IncomingMessage } from 'node:http'

/** Who is on the other end. A proxy in front is believed only where the settings say so, and then only its own word. */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? headers['x-forwarded-for'] : undefined
  const told = (Array.isArray(forwarded) ? forwarded.join() : forwarded)?.split(',').at(-1)?.trim()
  return told || (socket.remoteAddress ?? '')
}
