import type { Caller } from '@quipu/broker/access/caller.ts'
import { actorOf, sessionActor } from '@quipu/broker/access/caller.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import type { SessionWorld } from '@quipu/broker/access/session-tokens.ts'
import { isOpenAccount, missing } from '@quipu/core'
import type { CallerIndex, Services } from '../services.ts'
import type { Forwarded, ForwardedCaller, ForwardedOperator } from './peer.ts'

/** The operator or account that another node has authenticated. */
export function callerFromPeer(
  { worlds }: Pick<Services, 'worlds'>,
  { world: name, operator, account }: Forwarded,
): Caller | undefined {
  const authenticated = operator ?? account
  const world = authenticated && worlds.get(name)
  if (!world) return undefined
  const { credentialId, readOnly = false, actor: foreign } = authenticated
  const shared = { world, credentialId, readOnly, foreign }
  if (operator) {
    const { partnerId, auditor } = operator
    return { kind: 'partner', ...shared, partnerId, operator: !auditor, auditor }
  }
  const { accountId } = account ?? missing('the account')
  if (!isOpenAccount(world.view, accountId)) return undefined
  // Only the rights of an operator or auditor open a world of another node.
  return { kind: 'account', ...shared, accountId, isByOperator: true }
}

/** The index of a stream whose token another node has authenticated: no other credential is valid there. */
export function peerIndex(services: Pick<Services, 'worlds'>, forwarded: Forwarded | undefined) {
  if (!forwarded?.operator && !forwarded?.account) return undefined
  const index: CallerIndex = {
    byKey: () => undefined,
    chosenKey: () => undefined,
    byToken: () => callerFromPeer(services, forwarded),
  }
  return index
}

/** An operator or auditor, for another node. */
export function operatorOf(caller: Caller): ForwardedOperator {
  if (caller.kind !== 'partner') throw new Error('bug: an operator is a partner')
  const { partnerId, credentialId, auditor, readOnly } = caller
  return { partnerId, credentialId, auditor, readOnly, actor: actorOf(caller) }
}

/** A session token that opens a stored world by its name. */
export type Opening = {
  readonly world: SessionWorld['world']
  /** The operator whose rights open the world. The connection ends with these rights. */
  readonly caller: Caller
  /** The caller in the opened world. */
  readonly as: ForwardedCaller
}

/** The world that a session token opens by its name; undefined for any other token. */
export function openingOf({ worlds }: Pick<Services, 'worlds'>, token: string): Opening | undefined {
  const found = worlds.access.credentials.sessionTokens.opened(digestOf(token), Date.now())
  if (!found) return undefined
  const { caller, opens } = found
  const { world, accountId } = opens
  const { partnerId: _, auditor: __, ...shared } = operatorOf(caller)
  if (accountId === undefined) return { world, caller, as: { operator: operatorOf(caller) } }
  const actor = { ...sessionActor(caller.session ?? missing('the session')), account: accountId }
  return { world, caller, as: { account: { ...shared, actor, accountId } } }
}
