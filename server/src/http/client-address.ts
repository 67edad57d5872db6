import type { IncomingMessage } from 'node:http'

/** Who is on the other end. A proxy in front is believed only where the settings say so, and then only its own word. */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const told = trustProxy ? forwarded(headers['x-forwarded-for']) : undefined
  return told || (socket.remoteAddress ?? '')
}

/** The last value of a header of proxies: the one that the proxy in front of us added. */
export const forwarded = (header: string | readonly string[] | undefined): string | undefined =>
  header === undefined ? undefined : String(header).split(',').at(-1)!.trim()
