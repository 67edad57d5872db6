import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId } from '@quipu/core'
import type { Context } from './context.ts'

/** Waits until the query tables have the last event of the calling account, at most queryTablesWaitMs. */
export async function waitForQueryTables(context: Context): Promise<void> {
  await waitForAccountQueryTables(context, context.account)
}

/** The same for another account, which a partner or operator reads. */
export async function waitForAccountQueryTables(
  context: Context,
  { world, accountId }: { readonly world: World; readonly accountId: AccountId },
): Promise<void> {
  const lastSeq = await context.state.read(world, (view) => view.accounts.get(accountId)?.lastSeq ?? 0)
  await world.storage.untilQueryTables(lastSeq)
}
