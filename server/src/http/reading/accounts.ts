import type { World } from '@quipu/broker/world/world.ts'
import type { OutputOf } from '@quipu/contract'
import { type Account, format, formatInstant, type View } from '@quipu/core'
import { accountHolderName, brokerAccountToWire } from '../../wire/broker-wire.ts'
import { refuse } from '../../wire/refusal.ts'
import { accountsIn } from '../broker/accounts.ts'
import { withWorld } from '../sim/world-named.ts'
import { currentBalances } from '../trading/account.ts'
import { externalFlows } from '../trading/portfolio-flows.ts'

export const worldAccountHandlers = withWorld({
  listWorldAccounts: ({ world, query }, context) =>
    context.state.read(world, (view) =>
      accountsIn(view, {}, { ...query, sort: 'desc' }).map((account) => toWire(world, view, account)),
    ),
  async getAccountGain({ world, params }, context) {
    const accountId = params.account_id
    const account = { world, accountId }
    const { seq, lastSeq, at, equity } = await context.state.read(world, (view) => {
      const found = view.accounts.get(accountId)
      if (!found) throw refuse({ code: 'accountNotFound' })
      const balances = currentBalances(world, view, accountId)
      return { seq: view.seq, lastSeq: found.lastSeq, at: world.engine.latest, equity: balances.equity }
    })
    await world.storage.untilQueryTables(lastSeq)
    const flows = await externalFlows(account, at)
    const known = flows.filter(({ activity }) => activity.seq <= seq)
    const transferred = known.reduce((sum, { worth }) => sum + worth, 0n)
    return {
      at: formatInstant(at),
      equity: format(equity),
      transferred: format(transferred),
      gain: format(equity - transferred),
    }
  },
})

function toWire(world: World, view: View, account: Account): OutputOf<'listWorldAccounts'>[number] {
  const balances = currentBalances(world, view, account.id)
  return {
    ...brokerAccountToWire(account),
    name: accountHolderName(view, account),
    cash: format(balances.cash),
    equity: format(balances.equity),
    buying_power: format(balances.buyingPower),
    position_market_value: format(balances.longValue + balances.shortValue),
    positions: view.positions.get(account.id)?.size ?? 0,
  }
}
