import type { IncomingMessage } from 'node:http'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { WorldId } from '@quipu/core'
import type { Refused } from '../../wire/refusal.ts'
import type { Services } from '../services.ts'

/** The world of the credential, which this node held when the request began. */
const begunIn = new WeakMap<IncomingMessage, WorldId>()

export const noteWorldOf = (request: IncomingMessage, world: WorldId): void =>
  void begunIn.set(request, world)

export const worldBegunIn = (request: IncomingMessage): WorldId | undefined => begunIn.get(request)

const isHeld = ({ cluster }: Pick<Services, 'cluster'>, request: IncomingMessage): boolean => {
  const world = begunIn.get(request)
  return world === undefined || !cluster || cluster.locations.isHere(world)
}

/**
 * Before a credential counts as wrong. A node that loses a world forgets its credentials, also for requests that have
 * begun: these were not applied.
 */
export function assertHeld(services: Pick<Services, 'cluster'>, request: IncomingMessage): void {
  if (!isHeld(services, request)) throw new NotApplied('worldRestarting')
}

/** The refusal of a credential, while this node holds its world. */
export const refusedWhileHeld = (
  services: Pick<Services, 'cluster'>,
  request: IncomingMessage,
  refusal: Refused,
): Error => (isHeld(services, request) ? refusal : new NotApplied('worldRestarting'))
