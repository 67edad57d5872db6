import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { codeOfKeyId, codeOfSecret, MAIN_CODE } from '@quipu/broker/access/world-code.ts'
import { participantHeader, participantPath, tradeUpdatesPath } from '@quipu/contract'
import type { WorldId } from '@quipu/core'
import { bearerIn, namedKey } from '../../http/auth.ts'
import { requestUrl } from '../../http/connection/host.ts'
import type { Forwarded } from '../../http/forwarding/peer.ts'
import { type Opening, openingOf } from '../../http/forwarding/peer-caller.ts'
import type { Services } from '../../http/services.ts'
import type { Message } from '../frame.ts'
import type { Session } from '../session.ts'
import type { StreamSocket } from '../socket.ts'
import type { ChannelLists } from '../subscriptions.ts'
import { Relay, type RelayState, type StreamRelayParts } from './relay.ts'
import { relayProtocol } from './relay-protocol.ts'

type ClusterSessionParts = {
  readonly socket: StreamSocket
  readonly session: Session
  readonly cluster: NonNullable<Services['cluster']>
  readonly worlds: Services['worlds']
  readonly handshake: Handshake
  /** Set if the client is another node that relays a stream. It continues the stream of a released world itself. */
  readonly peer: Forwarded['stream']
  /** Another node has authenticated the client. */
  readonly authenticated: (socket: StreamSocket) => void
}

/** The parts of a handshake that another node needs. */
type Handshake = Pick<StreamRelayParts, 'path' | 'headers' | 'scheme' | 'pingIntervalMs'>

/**
 * The session of a client in a cluster. The credential names the world. If this node holds the world, the client has
 * the session of this node, else a relay to the node that does; also when the world moves there later. A session token
 * may open another world than the one that it names: that world gets a relay too.
 */
export class ClusterSession implements Session {
  readonly #parts: ClusterSessionParts
  readonly #session: Session
  #login: string | undefined
  #relay: Relay | undefined
  #opening: Opening | undefined
  /** Ends when this node knows the world of the credential. */
  #lookUp: Promise<void> | undefined

  constructor(parts: ClusterSessionParts) {
    this.#parts = parts
    this.#session = parts.session
  }

  onOpen(headers: IncomingHttpHeaders): void {
    const { endpoint } = this.#parts.socket.client
    const found = endpoint === tradeUpdatesPath ? undefined : credentialInHeaders(headers)
    const world = found && this.#worldElsewhere(found)
    if (!world) return this.#session.onOpen(headers)
    // The client receives the welcome of this node, without credentials.
    if (endpoint !== participantPath) this.#session.onOpen({})
    this.#connect(world)
  }

  onBytes(data: Buffer, isBinary: boolean): boolean {
    this.#relay?.send(data, isBinary)
    return this.#relay !== undefined
  }

  onMessage(message: unknown): void {
    const found = this.#parts.socket.caller ? undefined : credentialInMessage(message)
    if (found !== undefined) {
      this.#login = JSON.stringify(message, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
      const world = this.#worldElsewhere(found)
      if (world) return this.#connect(world)
    }
    this.#session.onMessage(message)
  }

  /** The client of a released world keeps its connection. */
  onReleased(): boolean {
    const { socket, peer } = this.#parts
    const world = socket.caller?.world
    if (!world || peer || !relayProtocol(socket.client.endpoint).canResume) return false
    const state = { after: world.publisher.upTo, lists: this.#session.subscriptions() }
    this.#session.onClose()
    this.#connect(() => world.id, state)
    return true
  }

  onPong(data: Buffer): void {
    this.#relay?.pong(data)
  }

  onUnreadable(): void {
    this.#session.onUnreadable()
  }

  onAuthTimeout(tried: boolean): void {
    this.#session.onAuthTimeout(tried)
  }

  onError(): void {
    this.#session.onError()
  }

  slowClientMessage(): Message {
    return this.#session.slowClientMessage()
  }

  onClose(): void {
    if (this.#relay) this.#relay.close()
    else this.#session.onClose()
    if (this.#opening) this.#parts.worlds.access.connections.remove(this.#parts.socket, this.#opening.caller)
  }

  stepMessage(step: number): Message {
    return this.#session.stepMessage(step)
  }

  subscriptions(): ChannelLists {
    return this.#session.subscriptions()
  }

  /** The world of a credential, if the client needs a relay to its holder. */
  #worldElsewhere({ code, token }: Credential): (() => WorldId) | undefined {
    const { cluster, worlds, peer, socket } = this.#parts
    const world = () => cluster.view.byCode.worldOf(code)
    this.#lookUp = peer || code === MAIN_CODE ? undefined : cluster.view.byCode.lookUp(code)
    if (this.#lookUp || (!peer && !cluster.locations.isHere(world()))) return world
    const opening = token === undefined ? undefined : openingOf({ worlds }, token)
    if (!opening) return undefined
    this.#opening = opening
    worlds.access.connections.add(socket, opening.caller)
    return () => opening.world
  }

  #connect(world: () => WorldId, state?: RelayState): void {
    const { socket, cluster, handshake, peer, authenticated } = this.#parts
    socket.authentication.detach()
    const protocol = relayProtocol(socket.client.endpoint)
    const { as } = this.#opening ?? {}
    const shared = { socket, cluster, world, lookUp: this.#lookUp, protocol, as, peer }
    const parts = { ...shared, ...handshake, login: this.#login }
    this.#relay = new Relay({ ...parts, authenticated: () => authenticated(socket) }, state)
  }
}

const forwardedHeaders = [
  'host',
  'origin',
  'sec-fetch-site',
  'content-type',
  'user-agent',
  'apca-api-key-id',
  'apca-api-secret-key',
  'authorization',
  participantHeader,
] as const

/** A copy, so that the request does not stay in memory. */
export function handshakeOf(
  request: IncomingMessage,
  services: Pick<Services, 'serverState' | 'settings' | 'limits'>,
): Handshake {
  const { url = '', headers } = request
  const scheme: Forwarded['scheme'] = requestUrl(request, services).startsWith('https:') ? 'https' : 'http'
  const sent = forwardedHeaders.flatMap((name) =>
    headers[name] === undefined ? [] : [[name, headers[name]]],
  )
  const { pingIntervalMs } = services.limits
  return { path: url, headers: Object.fromEntries(sent), scheme, pingIntervalMs }
}

/** The world code in a credential, and the token if it is one. */
type Credential = { readonly code: string; readonly token?: string }

const tokenCredential = (token: string): Credential => ({ code: codeOfSecret(token), token })

function credentialInHeaders(headers: IncomingHttpHeaders): Credential | undefined {
  const keyId = namedKey(headers)
  if (keyId !== undefined) return { code: codeOfKeyId(keyId) }
  const token = bearerIn(headers)
  return token === undefined ? undefined : tokenCredential(token)
}

type Login = {
  readonly action?: unknown
  readonly key?: unknown
  readonly secret?: unknown
  readonly data?: { readonly key_id?: unknown; readonly secret_key?: unknown; readonly oauth_token?: unknown }
}

/** The credential in an authentication message, in the forms of all streams. */
function credentialInMessage(message: unknown): Credential | undefined {
  const { action, key, secret, data } = (message ?? {}) as Login
  if (action !== 'auth' && action !== 'authenticate') return undefined
  const [keyId, secretKey] = [key ?? data?.key_id, secret ?? data?.secret_key]
  const isToken = keyId === 'oauth' || keyId === 'access_token'
  const token = data?.oauth_token ?? (isToken ? secretKey : undefined)
  if (typeof token === 'string') return tokenCredential(token)
  return typeof keyId === 'string' ? { code: codeOfKeyId(keyId) } : undefined
}
