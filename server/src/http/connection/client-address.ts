import type { IncomingMessage } from 'node:http'
import { plainAddress } from '@quipu/broker/access/addresses.ts'
import { lastOf } from '@quipu/core/values'
import { forwardedOf } from '../forwarding/peer.ts'
import { traceOf } from '../logged-text.ts'

/** The address of the client. With trustProxy it is the entry that the proxy in front added. */
export function clientAddress(request: IncomingMessage, trustProxy: boolean): string {
  const { headers, socket } = request
  const forwardedBy = forwardedOf(request)
  if (forwardedBy) return forwardedBy.address
  const address = trustProxy ? forwarded(headers['x-forwarded-for']) : undefined
  return address || (socket.remoteAddress ?? '')
}

/** The last value of a proxy header: the one that the proxy in front of the server added. */
export const forwarded = (header: string | readonly string[] | undefined): string | undefined =>
  header === undefined ? undefined : lastOf(String(header).split(',')).trim()

/** The client and the trace of a request, for the log. */
export const clientFacts = (request: IncomingMessage, { trustProxy }: { readonly trustProxy: boolean }) => ({
  address: plainAddress(clientAddress(request, trustProxy)),
  ...traceOf(request.headers),
})
