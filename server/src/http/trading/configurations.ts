import type { AccountConfigurationsRecord, ChangeConfigurationsRecord, Handlers } from '@quipu/contract'
import { type Account, type AccountConfig, configOf } from '@quipu/core'
import { present } from '../../wire/present.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'

type Names = 'getAccountConfigurations' | 'patchAccountConfigurations'

export const configurationHandlers: Handlers<Context, Names> = {
  getAccountConfigurations: async (_, context) => {
    const { world, accountId } = context.account
    return configToWire(
      await context.saw(
        world,
        world.read((view) => view.accounts.get(accountId)),
      ),
    )
  },

  patchAccountConfigurations: async ({ body }, context) => {
    const { world, accountId } = context.account
    const command = { kind: 'changeConfig', accountId, changes: changesIn(body) } as const
    const { decided, account } = await context.saw(
      world,
      world.submit(command, (view, decided) => ({ decided, account: view.accounts.get(accountId) })),
    )
    if (!decided.ok) throw refuse(decided.reason)
    return configToWire(account)
  },
}

/** The two checks of a rule that is gone are looked at by the contract and left out here. */
function changesIn(body: ChangeConfigurationsRecord): Partial<AccountConfig> {
  const { max_margin_multiplier: multiplier, max_options_trading_level: level } = body
  return present({
    fractionalTrading: body.fractional_trading,
    maxMarginMultiplier: multiplier === undefined ? undefined : (Number(multiplier) as 1 | 2 | 4),
    noShorting: body.no_shorting,
    suspendTrade: body.suspend_trade,
    tradeConfirmEmail: body.trade_confirm_email,
    ptpNoExceptionEntry: body.ptp_no_exception_entry,
    maxOptionsTradingLevel: level as 0 | 1 | 2 | 3 | undefined,
    disableOvernightTrading: body.disable_overnight_trading,
  })
}

function configToWire(account: Account | undefined): AccountConfigurationsRecord {
  if (!account) throw refuse({ code: 'accountNotFound' })
  const config = configOf(account)
  return {
    dtbp_check: 'entry',
    pdt_check: 'entry',
    fractional_trading: config.fractionalTrading,
    max_margin_multiplier: `${config.maxMarginMultiplier}`,
    no_shorting: config.noShorting,
    suspend_trade: config.suspendTrade,
    trade_confirm_email: config.tradeConfirmEmail,
    ptp_no_exception_entry: config.ptpNoExceptionEntry,
    max_options_trading_level: config.maxOptionsTradingLevel ?? null,
    disable_overnight_trading: config.disableOvernightTrading,
  }
}
