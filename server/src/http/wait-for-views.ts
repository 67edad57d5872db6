import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@quipu/core'
import { NotApplied } from '../process/not-applied.ts'
import type { World } from '../world/world.ts'
import type { Context } from './context.ts'

/** History waits until the views have passed the last event of its own account, no more, and not for ever. */
export async function waitForViews(context: Context): Promise<void> {
  await waitForAccountViews(context, context.account)
}

/** The same for an account that somebody else asks about. */
export async function waitForAccountViews(
  context: Context,
  { world, accountId }: { readonly world: World; readonly accountId: AccountId },
): Promise<void> {
  const lastSeq = await context.resultOf(
    world,
    world.read((view) => view.accounts.get(accountId)?.lastSeq ?? 0),
  )
  await waitForViewsAt(context, world, lastSeq)
}

/** The same for whoever knows how far the views must be. */
export async function waitForViewsAt(context: Context, world: World, lastSeq: number): Promise<void> {
  const { views } = world
  if (views.position() >= lastSeq) return
  const waiting = new AbortController()
  // Views that fail end this life of the world.
  const enough = views.reached(lastSeq).then(
    () => true,
    () => Promise.reject(new NotApplied('worldRestarting')),
  )
  const tooLong = sleep(context.services.limits.viewsWaitMs, false, { signal: waiting.signal })
  // Whichever comes second is of no interest any more.
  enough.catch(() => undefined)
  tooLong.catch(() => undefined)
  try {
    if (!(await Promise.race([enough, tooLong]))) throw new NotApplied('viewsBehind')
  } finally {
    waiting.abort()
  }
}
