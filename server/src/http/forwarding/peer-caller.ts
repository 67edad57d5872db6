import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../access/caller.ts'
import type { Services } from '../services.ts'
import { forwardedOf } from './peer.ts'

/** The operator that another node has authenticated. */
export function callerFromPeer(
  { worlds }: Pick<Services, 'worlds'>,
  request: IncomingMessage,
): Caller | undefined {
  const { world: name = '', operator } = forwardedOf(request) ?? {}
  const world = operator && worlds.get(name)
  if (!world) return undefined
  const { partnerId, credentialId, readOnly = false, actor: foreign } = operator
  return { kind: 'partner', world, partnerId, credentialId, operator: true, readOnly, foreign }
}
