// npm install --save-dev vitest @quipu/testing @alpacahq/alpaca-trade-api && npx vitest run
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import { alpacaOptions, withWorld } from '@quipu/testing/vitest'
import { expect, test } from 'vitest'
import { DipBuyer } from './dip-buyer.ts'

const monday = { seed: 'dips', clock: '2026-01-05T14:30:00Z', cash: 10_000 }

test(
  'the bot buys one dip and learns of its fill',
  withWorld(async (world) => {
    const alpaca = new Alpaca(alpacaOptions(world))
    const bot = new DipBuyer(alpaca)
    await world.each('5m', () => bot.checkPrice(), { steps: 78 })
    await expect(world).toHaveOneOrder('dip')
    await expect(world).toHaveNetPosition('TSLA', 10)
    await alpaca.trading.positions.getOpenPosition({ symbolOrAssetId: 'TSLA' })
    await expect(world).toHaveNoUnacknowledgedFill()
  }, monday),
)

test(
  'the bot does nothing on a day without trades',
  withWorld(async (world) => {
    const bot = new DipBuyer(new Alpaca(alpacaOptions(world)))
    await bot.checkPrice()
    await expect(world).not.toHaveOneOrder('dip')
    await expect(world).toHaveCash(10_000)
  }, monday),
)
