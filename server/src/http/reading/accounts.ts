import type { Handlers, OutputOf } from '@quipu/contract'
import { type Account, format, type View } from '@quipu/core'
import { brokerAccountToWire } from '../../wire/broker-wire.ts'
import type { World } from '../../world/world.ts'
import { accountsIn } from '../broker/accounts.ts'
import type { Context } from '../context.ts'
import { currentBalances } from '../trading/account.ts'
import { worldOf } from './readers.ts'

export const worldAccountHandlers: Pick<Handlers<Context>, 'listWorldAccounts'> = {
  listWorldAccounts: ({ params, query }, context) => {
    const world = worldOf(context, params.world)
    return context.resultOf(
      world,
      world.read((view) =>
        accountsIn(view, {}, { ...query, sort: 'desc' }).map((account) => toWire(world, view, account)),
      ),
    )
  },
}

function toWire(world: World, view: View, account: Account): OutputOf<'listWorldAccounts'>[number] {
  const balances = currentBalances(world, view, account.id)
  return {
    ...brokerAccountToWire(account),
    cash: format(balances.cash),
    equity: format(balances.equity),
    buying_power: format(balances.buyingPower),
    position_market_value: format(balances.longValue + balances.shortValue),
    positions: view.positions.get(account.id)?.size ?? 0,
  }
}
