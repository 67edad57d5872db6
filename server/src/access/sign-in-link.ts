import { randomBytes } from 'node:crypto'
import type { PersonId } from '@quipu/core'
import type { World } from '../world/world.ts'
import { digestOf } from './credentials.ts'

/** What signs somebody in, once. It is told here and known by its digest alone. */
export type SignInLink = { readonly endsAtMs: number; at(url: string): string }

/** Nothing where there is no such person. Its time is the machine's. */
export async function issueSignInLink(
  world: World,
  personId: PersonId,
  lifeMs: number,
  operator = false,
): Promise<SignInLink | undefined> {
  const once = randomBytes(32).toString('base64url')
  const nowMs = Date.now()
  const endsAtMs = nowMs + lifeMs
  const command = {
    kind: 'issueSignInLink',
    personId,
    link: digestOf(once),
    nowMs,
    endsAtMs,
    operator,
  } as const
  const { value } = await world.submit(command, (_, decided) => decided.ok)
  return value ? { endsAtMs, at: (url) => `${url}/oauth/sign-in?once=${once}` } : undefined
}
