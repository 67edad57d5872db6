import type { OperationName } from '@quipu/contract'

/** The same calls with the official Python SDK, where it has a method for the operation. */
export const alpacaPy: Partial<Record<OperationName, string>> = {
  getAccount: 'TradingClient(…).get_account()',
  placeOrder: 'TradingClient(…).submit_order(LimitOrderRequest(…))',
  listOrders: 'TradingClient(…).get_orders(GetOrdersRequest(…))',
  getOrder: 'TradingClient(…).get_order_by_id(order_id)',
  replaceOrder: 'TradingClient(…).replace_order_by_id(order_id, ReplaceOrderRequest(…))',
  cancelOrder: 'TradingClient(…).cancel_order_by_id(order_id)',
  cancelAllOrders: 'TradingClient(…).cancel_orders()',
  listPositions: 'TradingClient(…).get_all_positions()',
  getPosition: 'TradingClient(…).get_open_position("AAPL")',
  closePosition: 'TradingClient(…).close_position("AAPL")',
  closeAllPositions: 'TradingClient(…).close_all_positions(cancel_orders=True)',
  listAssets: 'TradingClient(…).get_all_assets(GetAssetsRequest(…))',
  getAsset: 'TradingClient(…).get_asset("AAPL")',
  getClock: 'TradingClient(…).get_clock()',
  getCalendar: 'TradingClient(…).get_calendar(GetCalendarRequest(…))',
  listWatchlists: 'TradingClient(…).get_watchlists()',
  stockBars: 'StockHistoricalDataClient(…).get_stock_bars(StockBarsRequest(…))',
  stockQuotes: 'StockHistoricalDataClient(…).get_stock_quotes(StockQuotesRequest(…))',
  stockTrades: 'StockHistoricalDataClient(…).get_stock_trades(StockTradesRequest(…))',
  stockLatestTrades: 'StockHistoricalDataClient(…).get_stock_latest_trade(StockLatestTradeRequest(…))',
  stockLatestQuotes: 'StockHistoricalDataClient(…).get_stock_latest_quote(StockLatestQuoteRequest(…))',
  stockLatestBars: 'StockHistoricalDataClient(…).get_stock_latest_bar(StockLatestBarRequest(…))',
  stockSnapshots: 'StockHistoricalDataClient(…).get_stock_snapshot(StockSnapshotRequest(…))',
}
