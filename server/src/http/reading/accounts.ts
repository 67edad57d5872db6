import type { OutputOf } from '@quipu/contract'
import { type Account, format, type View } from '@quipu/core'
import { accountName, brokerAccountToWire } from '../../wire/broker-wire.ts'
import type { World } from '../../world/world.ts'
import { accountsIn } from '../broker/accounts.ts'
import type { SomeHandlers } from '../context.ts'
import { worldNamed } from '../sim/world-named.ts'
import { currentBalances } from '../trading/account.ts'

export const worldAccountHandlers = {
  listWorldAccounts: ({ params, query }, context) => {
    const world = worldNamed(params.world, context)
    return context.read(world, (view) =>
      accountsIn(view, {}, { ...query, sort: 'desc' }).map((account) => toWire(world, view, account)),
    )
  },
} satisfies SomeHandlers

function toWire(world: World, view: View, account: Account): OutputOf<'listWorldAccounts'>[number] {
  const balances = currentBalances(world, view, account.id)
  return {
    ...brokerAccountToWire(account),
    name: accountName(view, account),
    cash: format(balances.cash),
    equity: format(balances.equity),
    buying_power: format(balances.buyingPower),
    position_market_value: format(balances.longValue + balances.shortValue),
    positions: view.positions.get(account.id)?.size ?? 0,
  }
}
