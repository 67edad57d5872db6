import { readsAllWorlds } from '@quipu/broker/access/caller.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { AccountSnapshotRecord } from '@quipu/contract'
import { type AccountId, accountOf } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { clockToWire } from '../sim/world/world-wire.ts'
import { entryOf } from '../sim/world-named.ts'
import { isLive } from './formats.ts'
import { readerOf } from './reader.ts'
import { capture } from './snapshot/capture.ts'
import { SnapshotParts } from './snapshot/changes.ts'
import { pastState } from './snapshot/past-state.ts'
import { snapshotStream } from './snapshot/stream.ts'

export const accountSnapshotHandlers = {
  async getAccountSnapshot({ params, query }, context) {
    const { world } = readerOf(context, params.world)
    const accountId = params.account_id
    assertReadable(context, world, accountId)
    const entry = entryOf(context.services.worlds, params.world, context)
    const { symbols = [], curve, event, time } = query
    const of = { world, accountId, symbols, curve }
    const parts = new SnapshotParts(curve)
    if (event !== undefined || time !== undefined) {
      if (isLive(context)) throw refuse({ code: 'invalidParameter', problem: onlyNow(event) })
      const { view, at } = await pastState(world, { event, time })
      context.state.seq = view.seq
      return parts.whole(capture(of, view, at))
    }
    if (isLive(context)) return snapshotStream<AccountSnapshotRecord>(context, entry, of)
    const { captured, clock } = await context.state.read(world, (view) => ({
      captured: capture(of, view),
      clock: clockToWire(entry),
    }))
    return { ...(await parts.whole(captured)), clock }
  },
} satisfies SomeHandlers

const onlyNow = (event: number | undefined): string =>
  event === undefined
    ? 'time: expected none with an event stream'
    : `event: expected none with an event stream, received ${event}`

/** An account reads itself, a partner its accounts in its world, an operator or auditor all accounts. */
function assertReadable(context: Context, world: World, accountId: AccountId): void {
  const { caller } = context
  if (caller === undefined) throw new Error('bug: the operation is not open to anyone')
  if (caller.kind === 'account') {
    if (caller.accountId !== accountId) throw refuse({ code: 'accountNotFound' })
    return
  }
  const isWide = readsAllWorlds(caller)
  if (!isWide && caller.world !== world) throw refuse({ code: 'worldNotFound', world: world.id })
  if (!accountOf(world.view, accountId, isWide ? undefined : caller.partnerId))
    throw refuse({ code: 'accountNotFound' })
}
