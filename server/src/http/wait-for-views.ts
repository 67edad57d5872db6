import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId } from '@quipu/core'
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
  await world.untilViews(lastSeq)
}
