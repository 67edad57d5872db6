import type { IncomingMessage } from 'node:http'

/** The address of the client. With trustProxy it is the entry that the proxy in front added. */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const address = trustProxy ? forwarded(headers['x-forwarded-for']) : undefined
  return address || (socket.remoteAddress ?? '')
}

/** The last value of a proxy header: the one that the proxy in front of the server added. */
export const forwarded = (header: string | readonly string[] | undefined): string | undefined =>
  header === undefined ? undefined : String(header).split(',').at(-1)!.trim()
