// npm install --save-dev jest @quipu/testing @alpacahq/alpaca-trade-api && npx jest
const { Alpaca } = require('@alpacahq/alpaca-trade-api')
const { alpacaOptions, withWorld } = require('@quipu/testing')

test(
  'a market order is filled once, and the program sees the fill',
  withWorld(
    async (world) => {
      const { trading } = new Alpaca(alpacaOptions(world))
      await trading.orders.market({ symbol: 'AAPL', qty: 3, side: 'buy', clientOrderId: 'first' })
      await world.advance('1m')
      await trading.positions.getOpenPosition({ symbolOrAssetId: 'AAPL' })
      await expect(world).toHaveOneOrder('first')
      await expect(world).toHaveNetPosition('AAPL', 3)
      await expect(world).not.toHaveCash(10_000)
      await expect(world).toHaveNoUnacknowledgedFill()
    },
    { seed: 'first-order', cash: 10_000 },
  ),
)
