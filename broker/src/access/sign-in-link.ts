import type { UserId } from '@quipu/core'
import { definedFields } from '@quipu/core/values'
import type { World } from '../world/world.ts'
import { digestOf } from './credentials.ts'
import { newCredential } from './world-code.ts'

/** A one-time sign-in link. The secret is returned only here; the world stores its digest. */
export type IssuedLink = { readonly endsAtMs: number; at(url: string): string }

/** Undefined if the user does not exist. Times are of the machine's clock. */
export async function issueSignInLink(
  world: World,
  userId: UserId,
  lifetimeMs: number,
  {
    operator = false,
    mainEpoch,
  }: { readonly operator?: boolean; readonly mainEpoch?: number | undefined } = {},
): Promise<IssuedLink | undefined> {
  const secret = newCredential(world.access.code, 'base64url')
  const nowMs = Date.now()
  const endsAtMs = nowMs + lifetimeMs
  const command = {
    kind: 'issueSignInLink',
    userId,
    link: digestOf(secret),
    nowMs,
    endsAtMs,
    operator,
    ...definedFields({ mainEpoch }),
  } as const
  const { value } = await world.commands.submit(command, (_, decided) => decided.ok)
  return value ? { endsAtMs, at: (url) => `${url}/oauth/sign-in?once=${secret}` } : undefined
}
