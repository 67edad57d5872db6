import { type AccountId, type Bearer, type Flavour, hasExpired, type Key } from '@quipu/core'
import type { World } from '../world/world.ts'
import { type Caller, isIssuer } from './caller.ts'

/** The live account only if live is requested, or if there is no paper account. */
export const accountFor = ({ live, paper }: Bearer, flavour: Flavour): AccountId | undefined =>
  flavour === 'live' ? live : (paper ?? live)

/** Reads the clock only for keys that expire. */
export const isExpired = (world: World, key: Key): boolean =>
  key.expiresAt !== undefined && hasExpired(key, world.engine.now)

export function callerOf(world: World, { id, owner }: Key): Caller {
  return owner.kind === 'account'
    ? { kind: 'account', world, accountId: owner.accountId, credentialId: id }
    : {
        kind: 'partner',
        world,
        partnerId: owner.partnerId,
        credentialId: id,
        operator: owner.kind === 'partner' && owner.operator && world.access.hasOperators,
        auditor: owner.kind === 'auditor' && world.access.hasOperators,
        isIssuer: isIssuer(world, owner),
      }
}
