import { HOUR } from '@quipu/core'
import { onBehalfOf } from './cause.ts'
import type { Caller } from './credentials.ts'

/**
 * Notes that an app acts for someone, so that they can see when it last did. Once an hour for each grant: mostly this is
 * one look into memory. Nobody waits for it, and where the world has no time for it, the next call brings it again.
 */
export function noteUse(caller: Caller, requestId?: string): void {
  if (caller.kind !== 'account' || caller.grantId === undefined) return
  const { world, grantId } = caller
  if (!world.isUp) return
  const grant = world.view.grants.get(grantId)
  const last = grant?.lastUsedAt
  if (!grant || (last !== undefined && world.now - last < HOUR)) return
  const note = () => world.submit({ kind: 'noteGrantUse', grantId }, () => undefined).catch(() => undefined)
  void (requestId === undefined ? note() : onBehalfOf(requestId, note))
}
