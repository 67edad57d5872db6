import type { Context } from './context.ts'

/** History waits until the views have passed the last event of its own account, no more. */
export async function viewsCaughtUp(context: Context): Promise<void> {
  const { world, accountId } = context.account
  const lastSeq = await context.saw(
    world,
    world.read((view) => view.accounts.get(accountId)?.lastSeq ?? 0),
  )
  await world.views.reached(lastSeq)
}
