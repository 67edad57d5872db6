import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@quipu/core'
import { NotApplied } from '../process/not-applied.ts'
import type { World } from '../world/world.ts'
import type { Context } from './context.ts'

/** Waits until the views have the last event of the calling account, at most viewsWaitMs. */
export async function waitForViews(context: Context): Promise<void> {
  await waitForAccountViews(context, context.account)
}

/** The same for another account, which a partner or operator reads. */
export async function waitForAccountViews(
  context: Context,
  { world, accountId }: { readonly world: World; readonly accountId: AccountId },
): Promise<void> {
  const lastSeq = await context.read(world, (view) => view.accounts.get(accountId)?.lastSeq ?? 0)
  await waitForViewsAt(context, world, lastSeq)
}

/** Waits until the views have the event with this number. */
export async function waitForViewsAt(context: Context, world: World, lastSeq: number): Promise<void> {
  const { views } = world
  if (views.position() >= lastSeq) return
  const waiting = new AbortController()
  // A failure of the views restarts the world.
  const reached = views.reached(lastSeq).then(
    () => true,
    () => Promise.reject(new NotApplied('worldRestarting')),
  )
  const tooLong = sleep(context.services.limits.viewsWaitMs, false, { signal: waiting.signal })
  // The promise that loses the race may reject later.
  reached.catch(() => undefined)
  tooLong.catch(() => undefined)
  try {
    if (!(await Promise.race([reached, tooLong]))) throw new NotApplied('viewsBehind')
  } finally {
    waiting.abort()
  }
}
