import { refuse } from '../../wire/refusal.ts'
import { hasSeveralHosts } from '../connection/host.ts'
import { isCrossSite } from '../connection/origin.ts'
import type { Exchange } from '../exchange.ts'
import { checkHeaderBytes, shuttingDown } from '../forwarding/peer.ts'
import { unreadResponses } from '../unsent.ts'
import type { RequestStep } from './step.ts'

/** Refuses requests that name no host or one that is not served, that come from pages of others, and while the server stops. */
export const host: RequestStep<Exchange> = ({ services, isServed }, { request, url }) => {
  const { host: name } = request.headers
  if (services.cluster) checkHeaderBytes(request, services.limits.headerMaxBytes)
  if (!url.path.startsWith('/')) throw refuse({ code: 'badRequest' })
  if (name === undefined && request.httpVersion === '1.1') throw refuse({ code: 'badRequest' })
  if (hasSeveralHosts(request)) throw refuse({ code: 'severalHosts' })
  if (name !== undefined && !isServed(name)) throw refuse({ code: 'hostNotAllowed', host: name })
  if (services.serverState.phase === 'stopping') throw shuttingDown(request)
  if (isCrossSite(request, services)) throw refuse({ code: 'crossSite' })
  if (services.connections.unsent.isFull) throw unreadResponses()
}
