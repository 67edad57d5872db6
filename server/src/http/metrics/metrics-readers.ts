import type { IncomingMessage } from 'node:http'
import type { Caller } from '@quipu/broker/access/caller.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import type { Services } from '../services.ts'

/** Old ones are forgotten first. */
const READERS_MAX = 100

type Reader = { readonly caller: Caller; readonly connection: { close(): void } }
type MetricsParts = Pick<Services, 'serverState' | 'worlds'>

const readersOf = new WeakMap<MetricsParts['serverState'], Map<string, Reader>>()

/**
 * Credentials of operators that have read the metrics. While their world is down, for example because its database is lost,
 * nobody can check a credential: these still read the metrics of the process, so that an alert can fire. A credential that
 * ends is forgotten, as a connection of it is closed.
 */
export function noteReader(
  { serverState, worlds }: MetricsParts,
  request: IncomingMessage,
  caller: Caller,
): void {
  const readers = readersOf.get(serverState) ?? new Map<string, Reader>()
  readersOf.set(serverState, readers)
  const digest = digestIn(request)
  if (readers.get(digest)?.caller.world === caller.world) return
  const forget = (name: string): void => {
    const reader = readers.get(name)
    readers.delete(name)
    if (reader) worlds.access.connections.remove(reader.connection, reader.caller)
  }
  forget(digest)
  const connection = { close: () => forget(digest) }
  readers.set(digest, { caller, connection })
  worlds.access.connections.add(connection, caller)
  const [oldest] = readers.keys()
  if (readers.size > READERS_MAX && oldest !== undefined) forget(oldest)
}

/** Whether the credential of the request has read the metrics before, and cannot be checked now. */
export function isKnownReader({ serverState, worlds }: MetricsParts, request: IncomingMessage): boolean {
  const world = readersOf.get(serverState)?.get(digestIn(request))?.caller.world
  return world !== undefined && !world.status.isUp && worlds.get(world.id) === world
}

const digestIn = ({ headers }: IncomingMessage): string =>
  digestOf(
    JSON.stringify([headers.authorization, headers['apca-api-key-id'], headers['apca-api-secret-key']]),
  )
